import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { parseProgramsFile, PROGRAMS_FILE_EXAMPLE, type ProgramsFile } from '#contracts';
import {
  compileKey,
  compileMap,
  decodeSourceRecord,
  mapRecord,
  routeSourceEvent,
  sourceProblems,
  type KeyResult,
  type SourceEvent,
  type SourceMapping,
} from '#events';
import { FORMAT_NAMES, openFormat, type FormatName } from '#events/formats';

import { avroBytes, registryOf } from './avro-record.js';
import { projectRoot } from './markdown.js';

/** Maps to copy, a folder each. */
export const mapsFolder = join(projectRoot, 'deploy/maps');

/** The samples are judged as of then. */
const now = Date.parse('2026-12-01T00:00:00Z');
const brokerAt = Date.parse('2026-11-21T12:00:00Z');

type Source = NonNullable<ProgramsFile['sources']>[string];
type MappedRecords = Awaited<ReturnType<typeof mapRecord>>;

export interface ReadyMap {
  readonly name: string;
  readonly source: Source;
  readonly programs: ProgramsFile;
  readonly mapping: SourceMapping;
  /** Of Avro: by which its records are written. */
  readonly schema: string | null;
}

/** A record as it lies in Kafka. */
export interface MapSample {
  readonly name: string;
  readonly record: Parameters<typeof mapRecord>[0];
  /** Its value as it is written down. */
  readonly shown: unknown;
}

export const readyMaps = (): string[] => readdirSync(mapsFolder).toSorted();

/** The source as the daemon reads it, beside the programs of the example. @throws Error where the daemon would refuse it */
export function readReadyMap(name: string): ReadyMap {
  const section = readFileSync(join(mapsFolder, name, 'sources.yaml'), 'utf8').replace(/^/gm, '  ');
  const example = PROGRAMS_FILE_EXAMPLE.replace(/^sources:[\s\S]*?(?=^\S)/m, '');
  const file = parseProgramsFile(`${example}\nsources:\n${section}\n`, {
    readMapFile: (path) => readFileSync(join(mapsFolder, name, path), 'utf8'),
  });
  const isKnown = (format: string): format is FormatName => (FORMAT_NAMES as readonly string[]).includes(format);
  const problems = file.ok ? sourceProblems(file.value, (format) => (isKnown(format) ? null : 'unknown')) : file.errors;
  const [source] = file.ok ? Object.values(file.value.sources ?? {}) : [];
  if (!file.ok || source === undefined || problems.length > 0) throw new Error(`${name}: ${problems.join('\n')}`);
  const schemaPath = join(mapsFolder, name, 'schema.avsc');
  const schema = existsSync(schemaPath) ? readFileSync(schemaPath, 'utf8') : null;
  const format = openFormat(source.format as FormatName, schema === null ? null : registryOf(schema));
  return { name, source, programs: file.value, schema, mapping: { format, map: compileMap(source.map ?? '') } };
}

/** What stands beside a record's value, in `NAME.record.json`. */
interface Beside {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const besides = '.record.json';

/** A sample is a value as its producer writes it, byte by byte; of Avro the document, before it is encoded. */
export function samplesOf({ name, source, schema }: ReadyMap): MapSample[] {
  const folder = join(mapsFolder, name, 'samples');
  const files = readdirSync(folder).filter((file) => !file.endsWith(besides));
  return files.toSorted().map((file): MapSample => {
    const text = readFileSync(join(folder, file), 'utf8');
    const beside = join(folder, `${file}${besides}`);
    const { key, headers = {} } = existsSync(beside) ? (JSON.parse(readFileSync(beside, 'utf8')) as Beside) : {};
    const shown = JSON.parse(text) as unknown;
    const value = schema === null ? Buffer.from(text) : avroBytes(schema, shown);
    const [topic = ''] = source.topics;
    return {
      name: file,
      shown,
      record: { topic, key: key === undefined ? null : Buffer.from(key), headers, value, brokerAt },
    };
  });
}

export const mapSample = ({ mapping }: ReadyMap, { record }: MapSample): Promise<MappedRecords> =>
  mapRecord(record, mapping);

/** The events of a sample, judged as those are that a producer sends. */
export async function eventsOf(map: ReadyMap, sample: MapSample): Promise<SourceEvent[]> {
  const mapped = await mapSample(map, sample);
  const records = mapped.kind === 'events' ? mapped.events : [];
  return records.map((record) => {
    const decoded = decodeSourceRecord({ ...record, now });
    if (decoded.kind === 'event') return decoded.event;
    throw new Error(`${sample.name}: ${decoded.kind === 'quarantine' ? decoded.detail : decoded.kind}`);
  });
}

/** The key by which what comes by HTTP is written. */
export async function keyOf({ source, mapping }: ReadyMap, { record }: MapSample): Promise<KeyResult> {
  const read = await mapping.format.read(record);
  const [document = null] = read.kind === 'documents' ? read.documents : [];
  const headers = record.headers as Readonly<Record<string, string>>;
  const facts = { topic: record.topic, key: null, headers, timestamp: new Date(brokerAt).toISOString() };
  return compileKey(source.key ?? '""').read({ document, record: facts });
}

/** What becomes of an event: the partner's calls as they are planned, or why there are none. */
function outcomeOf(event: SourceEvent, programs: ProgramsFile): unknown {
  const route = routeSourceEvent(event, programs);
  if (route.kind !== 'routed') return route;
  const { kind, intents, cancels } = route;
  return { kind, calls: intents.map(({ command }) => command), ...(cancels.length > 0 && { cancels }) };
}

/** What a sample's golden file says: each event with what becomes of it, or why there is none. */
export async function goldenOf(map: ReadyMap, sample: MapSample): Promise<string> {
  const mapped = await mapSample(map, sample);
  const events = await eventsOf(map, sample);
  const made = (text: string, at: number): unknown => ({
    event: JSON.parse(text) as unknown,
    becomes: outcomeOf(events[at]!, map.programs),
  });
  const golden =
    mapped.kind === 'events'
      ? { kind: mapped.kind, events: mapped.events.map(({ text }, at) => made(text, at)) }
      : mapped;
  return `${JSON.stringify(golden, null, 2)}\n`;
}

async function write(): Promise<void> {
  for (const map of readyMaps().map(readReadyMap)) {
    const folder = join(mapsFolder, map.name, 'goldens');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    for (const sample of samplesOf(map)) writeFileSync(join(folder, sample.name), await goldenOf(map, sample));
  }
}

if (process.argv[1] === import.meta.filename) await write();
