import { readFile } from 'node:fs/promises';

/** What of a V8 CPU profile is read. */
export interface CpuProfile {
  /** Microseconds of the machine's monotonic clock. */
  readonly startTime: number;
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Microseconds. */
  readonly timeDeltas: readonly number[];
}

export interface Layer {
  readonly layer: string;
  /** Percent of the time that the process was not idle. */
  readonly share: number;
}

type Frame = CpuProfile['nodes'][number]['callFrame'];

const idle = 'idle';
const byFunction: ReadonlyMap<string, string> = new Map([
  ['(idle)', idle],
  ['(garbage collector)', 'garbage collection'],
  ['writev', 'writing to sockets'],
  ['writeBuffer', 'writing to sockets'],
  ['writeUtf8String', 'writing to sockets'],
]);
const microsecondsPerMs = 1_000;
/** Below this a layer is part of the rest. */
const shareMin = 1;

/** By what a frame's file says; the first that fits. */
const byUrl: readonly (readonly [RegExp, string])[] = [
  [/internal\/crypto|crypto\/(sealing|digests|secret-key|keyring)/, 'encryption and digests'],
  [/node_modules\/axios/, 'axios'],
  [/node_modules\/undici|wasm:/, 'undici'],
  [
    /node_modules\/(pg|pg-pool|pg-protocol|pg-types|postgres-[a-z]+)\/|platform\/src\/database/,
    'Postgres driver and port',
  ],
  [/node_modules\/kafkajs/, 'kafkajs'],
  [/node_modules\/zod|libs\/contracts/, 'validation'],
  [/libs\/intents\/src\/core/, 'decisions on intents'],
  [/libs\/events\/src\/ingest/, 'ingest'],
  [/libs\/(events|members|purchases|rewards)/, 'events and subjects'],
  [/libs\/gateway/, 'gateway'],
  [/libs\/outbox/, 'outbox'],
  [/libs\/kafka/, 'kafka'],
  [/libs\/intents/, 'intents'],
  [/node_modules\/(graphile-worker|pg-boss|@restatedev)/, 'the queue'],
];

const layerOf = ({ functionName, url }: Frame): string | null =>
  byFunction.get(functionName) ?? byUrl.find(([pattern]) => pattern.test(url))?.[1] ?? null;

/** The layer of each node: its own, else that of the nearest caller that has one. */
const layersByNode = ({ nodes }: CpuProfile): Map<number, string> => {
  const layers = new Map<number, string>();
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  // A caller always comes before those it calls.
  for (const { id, callFrame } of nodes) {
    layers.set(id, layerOf(callFrame) ?? layers.get(callers.get(id) ?? NaN) ?? 'Node and the rest');
  }
  return layers;
};

/**
 * How a process spent its time, the largest layer first.
 * @param fromMs by the machine's monotonic clock; default: all of its time
 */
export const layersOf = (profile: CpuProfile, fromMs = -Infinity): Layer[] => {
  const layers = layersByNode(profile);
  const spent = new Map<string, number>();
  let at = profile.startTime;
  for (const [index, node] of profile.samples.entries()) {
    const delta = profile.timeDeltas[index] ?? 0;
    at += delta;
    if (at < fromMs * microsecondsPerMs) continue;
    const layer = layers.get(node) ?? idle;
    spent.set(layer, (spent.get(layer) ?? 0) + delta);
  }
  spent.delete(idle);
  const busy = [...spent.values()].reduce((sum, time) => sum + time, 0);
  return [...spent]
    .map(([layer, time]) => ({ layer, share: Math.round((1_000 * time) / busy) / 10 }))
    .filter(({ share }) => share >= shareMin)
    .toSorted((left, right) => right.share - left.share);
};

/** The same of a profile's file, which is there once its process has ended. */
export const readLayers = async (path: string, fromMs?: number): Promise<Layer[]> =>
  layersOf(JSON.parse(await readFile(path, 'utf8')) as CpuProfile, fromMs);
