import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { parseProgramsFile, PROGRAMS_FILE_EXAMPLE, readJsonText, type ProgramsFile, type Reviver } from '#contracts';
import {
  compileKey,
  compileMap,
  decodeSourceRecord,
  routeSourceEvent,
  sourceProblems,
  type KeyResult,
  type MapInput,
  type MappedEvent,
  type MapResult,
} from '#events';

import { projectRoot } from './markdown.js';

/** Maps to copy, a folder each. */
export const mapsFolder = join(projectRoot, 'deploy/maps');

/** One that was not among the samples: they are judged as of then. */
const now = Date.parse('2026-12-01T00:00:00Z');
const depthMax = 64;

type Source = NonNullable<ProgramsFile['sources']>[string];

export interface ReadyMap {
  readonly name: string;
  readonly source: Source;
  readonly programs: ProgramsFile;
}

export interface MapSample {
  readonly name: string;
  readonly input: MapInput;
}

export const readyMaps = (): string[] => readdirSync(mapsFolder).toSorted();

/** The source as the daemon reads it, beside the programs of the example. @throws Error where the daemon would refuse it */
export function readReadyMap(name: string): ReadyMap {
  const section = readFileSync(join(mapsFolder, name, 'sources.yaml'), 'utf8').replace(/^/gm, '  ');
  const example = PROGRAMS_FILE_EXAMPLE.replace(/^sources:[\s\S]*?(?=^\S)/m, '');
  const file = parseProgramsFile(`${example}\nsources:\n${section}\n`, {
    readMapFile: (path) => readFileSync(join(mapsFolder, name, path), 'utf8'),
  });
  const problems = file.ok ? sourceProblems(file.value) : file.errors;
  const [source] = file.ok ? Object.values(file.value.sources ?? {}) : [];
  if (!file.ok || source === undefined || problems.length > 0) throw new Error(`${name}: ${problems.join('\n')}`);
  return { name, source, programs: file.value };
}

const asText: Reviver = (_key, value, { source }) => (typeof value === 'number' ? source : value);

/** A document, each of its numbers the text that was sent. */
export function exactDocument(json: string): unknown {
  return readJsonText(json, { depthMax, revive: asText });
}

/** Samples are records; `value` is the document. */
export function samplesOf({ name, source }: ReadyMap): MapSample[] {
  const folder = join(mapsFolder, name, 'samples');
  return readdirSync(folder)
    .toSorted()
    .map((file) => {
      const record = exactDocument(readFileSync(join(folder, file), 'utf8')) as {
        readonly key?: string;
        readonly headers?: MapInput['record']['headers'];
        readonly timestamp?: string;
        readonly value: MapInput['document'];
      };
      const { key = null, headers = {}, timestamp = '2026-11-21T12:00:00.000Z', value } = record;
      const [topic = ''] = source.topics;
      return { name: file, input: { document: value, record: { topic, key, headers, timestamp } } };
    });
}

/** What becomes of an event: the partner's calls as they are planned, or why there are none. */
function outcomeOf(event: MappedEvent, programs: ProgramsFile): unknown {
  const headers = { 'content-type': 'application/cloudevents+json' };
  const decoded = decodeSourceRecord({ value: Buffer.from(JSON.stringify(event)), headers, now });
  if (decoded.kind !== 'event') return decoded;
  const route = routeSourceEvent(decoded.event, programs);
  if (route.kind !== 'routed') return route;
  return {
    kind: route.kind,
    calls: route.intents.map(({ command }) => command),
    ...(route.cancels.length > 0 && { cancels: route.cancels }),
  };
}

export async function mapSample({ source }: ReadyMap, { input }: MapSample): Promise<MapResult> {
  return compileMap(source.map ?? '').map(input);
}

export function keyOf({ source }: ReadyMap, { input }: MapSample): KeyResult {
  return compileKey(source.key ?? '""').read(input);
}

/** What a sample's golden file says: each event with what becomes of it, or the refusal. */
export async function goldenOf(map: ReadyMap, sample: MapSample): Promise<string> {
  const result = await mapSample(map, sample);
  const golden =
    result.kind === 'refused'
      ? result
      : {
          kind: result.kind,
          events: result.events.map((event) => ({ event, becomes: outcomeOf(event, map.programs) })),
        };
  return `${JSON.stringify(golden, null, 2)}\n`;
}

async function write(): Promise<void> {
  for (const map of readyMaps().map(readReadyMap)) {
    const folder = join(mapsFolder, map.name, 'goldens');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    for (const sample of samplesOf(map)) {
      writeFileSync(join(folder, sample.name), await goldenOf(map, sample));
    }
  }
}

if (process.argv[1] === import.meta.filename) await write();
