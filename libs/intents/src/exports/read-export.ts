import type { Database } from '#platform';
import { SealBrokenError } from '#platform';

import type { MemberKeys, SealingPlace } from '../keys/member-keys.js';
import { openWhole } from '../keys/member-keys.js';
import type { ExportedEvent, ExportedFact, ExportedIntent, ExportExtent, ExportPosition } from './exported-fact.js';
import type { ExportPlace } from './find-export-places.js';
import { exportPlacesMax, findExportPlaces } from './find-export-places.js';
import type { ExportRow } from './load-export-facts.js';
import { loadExportFacts } from './load-export-facts.js';

/** Beyond every version: the intent of the position has been read to its end. */
const wholeIntent = 2 ** 31 - 1;

/** Where an export begins. */
export function exportStart({ from }: ExportExtent): ExportPosition {
  return { recordedAt: from, laneId: 0, seq: 0, version: 0 };
}

/** Damaged bytes cost what they hold, not the rest of the export. */
function opened<T>(row: ExportRow, keys: MemberKeys, open: (place: SealingPlace, sealed: Buffer) => T): T | null {
  const { laneId, seq, wrappedKey, sealed } = row;
  if (isErased(row) || wrappedKey === null || sealed === null) return null;
  try {
    return open({ laneId, seq, key: keys.learn(laneId, wrappedKey) }, sealed);
  } catch (error) {
    if (error instanceof SealBrokenError) return null;
    throw error;
  }
}

function isErased({ isErased: wasErased, wrappedKey }: ExportRow): boolean {
  return wasErased || wrappedKey === null;
}

function toIntent(row: ExportRow, keys: MemberKeys): ExportedIntent {
  const content = opened(row, keys, (place, sealed) => openWhole(keys, place, sealed));
  const { command = null, sourceRecord = null } = content ?? {};
  const { wrappedKey: _key, sealed: _sealed, ...clear } = row;
  return { ...clear, kind: 'intent', isErased: isErased(row), command, sourceRecord };
}

function toEvent(row: ExportRow, keys: MemberKeys): ExportedEvent {
  const evidence = opened(row, keys, (place, sealed) => JSON.parse(keys.openFor(place, sealed)) as unknown);
  const { program, memberId, seq, version, position, type, at, attempt, data } = row;
  const of = { program, memberId, seq, version, position, isErased: isErased(row) };
  return { kind: 'event', ...of, type, at, attempt, data: data ?? {}, evidence };
}

function isSame(place: ExportPlace, position: ExportPosition): boolean {
  return place.laneId === position.laneId && place.seq === position.seq;
}

/** The next lines of an export. `next`: where it goes on; null at its end. */
export interface ExportLook {
  readonly facts: readonly ExportedFact[];
  readonly next: ExportPosition | null;
}

function nextOf(
  places: readonly ExportPlace[],
  { rows, isCut }: Awaited<ReturnType<typeof loadExportFacts>>,
): ExportPosition | null {
  const last = rows.at(-1);
  if (isCut && last !== undefined) {
    const { laneId, seq, version } = last;
    const recordedAt = places.find((place) => place.laneId === laneId && place.seq === seq)?.recordedAt ?? 0;
    return { recordedAt, laneId, seq, version };
  }
  const end = places.length < exportPlacesMax ? undefined : places.at(-1);
  if (end === undefined) return null;
  return { recordedAt: end.recordedAt, laneId: end.laneId, seq: end.seq, version: wholeIntent };
}

/**
 * Reads on in an export, a little at a time: intents in the order of their recording, each followed by its events. The
 * same lines come whenever and by whomever they are read, but for what was erased in between. Few lines, even none, do
 * not mean that it is at its end.
 */
export async function readExport(
  database: Database,
  request: { readonly extent: ExportExtent; readonly after: ExportPosition; readonly limit: number },
  keys: MemberKeys,
): Promise<ExportLook> {
  const { extent, after, limit } = request;
  const places = await findExportPlaces(database, extent, after);
  const wanted = places.filter(({ isWanted }) => isWanted);
  const isResumed = wanted[0] !== undefined && isSame(wanted[0], after);
  const afterVersion = isResumed ? after.version : 0;
  const loaded = await loadExportFacts(database, { places: wanted, upTo: extent.upTo, afterVersion, limit });
  return {
    facts: loaded.rows.map((row) => (row.isIntent ? toIntent(row, keys) : toEvent(row, keys))),
    next: nextOf(places, loaded),
  };
}
