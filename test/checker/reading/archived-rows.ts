import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { StoredEvent, StoredIntent } from './lane-rows.js';

/** What has left the tables of one lane, by version: a file that was begun twice holds it twice. */
export interface ArchivedLane {
  readonly intents: Map<number, StoredIntent>;
  readonly events: Map<number, StoredEvent>;
}

type Row = Readonly<Record<string, unknown>>;

interface Line {
  readonly table: 'intent' | 'intent_event';
  readonly row: Row & { readonly lane_id: number; readonly version: number };
}

const bytes = (value: unknown): Buffer => Buffer.from(String(value).slice('\\x'.length), 'hex');

/** A row of `to_json` as `intentsSql` reads it. */
function toIntent(row: Line['row']): StoredIntent {
  return {
    ...(row as unknown as StoredIntent),
    dedup_key: bytes(row['dedup_key']).toString('hex'),
    payload: bytes(row['payload']),
    recorded_at: Date.parse(String(row['recorded_at'])),
    xid: String(row['xid']),
    is_resubmitted: false,
  };
}

/** A row of `to_json` as `eventsSql` reads it. */
function toEvent(row: Line['row']): StoredEvent {
  const sealed = row['sealed'] === null ? null : bytes(row['sealed']);
  return { ...(row as unknown as StoredEvent), at: Date.parse(String(row['at'])), sealed };
}

/** Reads the files that retention has written, all of them into memory, by lane. */
export async function readArchivedRows(folder: string): Promise<ReadonlyMap<number, ArchivedLane>> {
  const lanes = new Map<number, ArchivedLane>();
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.ndjson'))) {
    for (const text of (await readFile(join(folder, file), 'utf8')).trimEnd().split('\n')) {
      const { table, row } = JSON.parse(text) as Line;
      const lane: ArchivedLane = lanes.get(row.lane_id) ?? { intents: new Map(), events: new Map() };
      lanes.set(row.lane_id, lane);
      if (table === 'intent') lane.intents.set(row.version, toIntent(row));
      else lane.events.set(row.version, toEvent(row));
    }
  }
  return lanes;
}

export const nothingLeft: ArchivedLane = { intents: new Map(), events: new Map() };

interface StoredRows {
  readonly intents: readonly StoredIntent[];
  readonly events: readonly StoredEvent[];
}

/** The rows that are still there and those that have left, in their order. */
export function withArchived(there: StoredRows, left: ArchivedLane): StoredRows {
  return {
    intents: joined(there.intents, left.intents).sort((one, other) => one.seq - other.seq),
    events: joined(there.events, left.events).sort((one, other) => one.version - other.version),
  };
}

function joined<Stored extends { readonly version: number }>(
  there: readonly Stored[],
  left: ReadonlyMap<number, Stored>,
): Stored[] {
  return [...new Map([...left, ...there.map((row) => [row.version, row] as const)]).values()];
}
