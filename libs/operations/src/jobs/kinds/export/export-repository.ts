import { Injectable } from '@nestjs/common';

import type { IdentityPlace, Operation, PartnerCommand } from '#intents/core';
import type { PositionBound, SealingPlace } from '#intents';
import { evidencePlace, isFinal, openWhole, takeBound, timestamp, MemberKeys } from '#intents';
import type { SqlStatement } from '#platform';
import { SealBrokenError, Database } from '#platform';

/** What an export holds: fixed when it begins, whatever comes afterwards. */
export interface ExportExtent {
  /** Null: every program. */
  readonly program: string | null;
  /** Of one member; absent: of all. */
  readonly laneId?: number;
  /** Recorded at or after, epoch ms. */
  readonly from: number;
  /** Recorded before, epoch ms. */
  readonly before: number;
  /** The last position of an event that belongs to it. */
  readonly upTo: number;
}

/** The last line that was read. */
export interface ExportPosition {
  readonly recordedAt: number;
  readonly laneId: number;
  readonly seq: number;
  readonly version: number;
}

interface OfMember {
  readonly program: string;
  readonly memberId: string;
  readonly seq: number;
  readonly version: number;
  readonly position: number;
  /** The person is erased: what was personal is null. */
  readonly isErased: boolean;
}

/** An intent as it was recorded. The content is personal. */
export interface ExportedIntent extends OfMember {
  readonly kind: 'intent';
  /** Epoch ms. */
  readonly recordedAt: number;
  readonly occurredAt: number;
  readonly brokerAt: number;
  readonly operation: Operation;
  readonly eventType: string;
  readonly source: string | null;
  readonly storeId: string | null;
  readonly purchaseId: string | null;
  /** Exact decimal text. */
  readonly amount: string | null;
  readonly currency: string | null;
  readonly waitsForSeq: number | null;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly programsHash: Buffer;
  readonly command: PartnerCommand | null;
  readonly sourceRecord: { readonly headers: string; readonly value: string } | null;
}

/** Something that happened to an intent afterwards. The evidence is personal. */
export interface ExportedEvent extends OfMember {
  readonly kind: 'event';
  readonly type: string;
  /** Epoch ms. */
  readonly at: number;
  /** 0 where it is about no attempt. */
  readonly attempt: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly evidence: unknown;
}

export type ExportedFact = ExportedIntent | ExportedEvent;

const findLastRecordingStatement: SqlStatement = {
  name: 'find_last_recording',
  text: 'SELECT recorded_at AS at FROM intent ORDER BY recorded_at DESC, lane_id DESC, seq DESC LIMIT 1',
};

/** What was asked for. */
export interface ExportSelection {
  readonly program: string | null;
  readonly laneId?: number;
  readonly from: number | null;
  readonly to: number | null;
}

/** `bound`: it turns final when the transactions of its time have ended; to be asked again with it. */
export type FrozenExport =
  | { readonly kind: 'open'; readonly bound: PositionBound | null }
  | { readonly kind: 'frozen'; readonly extent: ExportExtent };

/** Nothing below the bound can appear any more, so nothing that belongs to it was recorded later than the last one now. */
async function extentOf(database: Database, selection: ExportSelection, upTo: number): Promise<ExportExtent> {
  const last = (await database.execute<{ at: number }>(findLastRecordingStatement)).rows[0]?.at ?? 0;
  const before = last + 1;
  return {
    program: selection.program,
    ...(selection.laneId !== undefined && { laneId: selection.laneId }),
    from: selection.from ?? 0,
    before: Math.min(selection.to ?? before, before),
    upTo,
  };
}

/** Intents looked at in one statement: their lines are made at once, and whatever else the process does waits meanwhile. */
export const exportPlacesMax = 128;

const placesText = (isOfMember: string): string => `
WITH candidate AS MATERIALIZED (
  SELECT recorded_at, lane_id, seq, pos FROM intent
  WHERE (recorded_at, lane_id, seq) >= ($1::timestamptz, $2::bigint, $3::int) AND recorded_at < $4::timestamptz${isOfMember}
  ORDER BY recorded_at, lane_id, seq LIMIT ${exportPlacesMax}
)
SELECT c.recorded_at AS "recordedAt", c.lane_id AS "laneId", c.seq,
  c.pos <= $5::bigint AND ($6::text IS NULL OR m.program_id = $6) AS "isWanted"
FROM candidate c JOIN member m USING (lane_id) ORDER BY c.recorded_at, c.lane_id, c.seq`;

/** From the intent of the position on: some of its events may be left. The limit stands literally in the text. */
export const exportPlacesStatement: SqlStatement = { name: 'find_export_places', text: placesText('') };

/** One member's are read by their lane: those of all others are not looked at. */
export const memberPlacesStatement: SqlStatement = {
  name: 'find_export_places_of_member',
  text: placesText(' AND lane_id = $7::bigint'),
};

interface ExportPlace extends IdentityPlace {
  readonly recordedAt: number;
  /** It belongs to the export. */
  readonly isWanted: boolean;
}

/** The next intents in the order of their recording; fewer than `exportPlacesMax` when there are no more. */
async function findExportPlaces(
  database: Database,
  { program, laneId: ofMember, before, upTo }: ExportExtent,
  { recordedAt, laneId, seq }: ExportPosition,
): Promise<readonly ExportPlace[]> {
  const parameters = [timestamp(recordedAt), laneId, seq, timestamp(before), upTo, program];
  const [statement, given] =
    ofMember === undefined ? [exportPlacesStatement, parameters] : [memberPlacesStatement, [...parameters, ofMember]];
  return (await database.execute<ExportPlace>(statement, given)).rows;
}

/** Sealed bytes loaded at once, unless a single line has more: a source record may have 1 MiB. */
const loadBytesMax = 4 * 1_048_576;

/**
 * Chooses by the sizes alone, then loads what was chosen. The amount is as it was told: what it was corrected to is in its events. `$3`: the last position of the export; `$4`: the version after
 * which the first intent goes on; `$5`: lines at most.
 */
const loadExportFactsStatement: SqlStatement = {
  name: 'load_export_facts',
  text: `
WITH fact AS MATERIALIZED (
  SELECT p.ordinal, p.lane_id, p.seq, f.version, f.is_intent, f.bytes,
    sum(f.bytes) OVER (ORDER BY p.ordinal, f.version) AS total
  FROM unnest($1::bigint[], $2::int[]) WITH ORDINALITY AS p (lane_id, seq, ordinal) CROSS JOIN LATERAL (
    SELECT i.version, octet_length(i.payload) AS bytes, true AS is_intent FROM intent i
    WHERE i.lane_id = p.lane_id AND i.seq = p.seq
    UNION ALL
    SELECT e.version, COALESCE(octet_length(e.sealed), 0), false FROM intent_history e
    WHERE e.lane_id = p.lane_id AND e.seq = p.seq AND e.pos <= $3::bigint
  ) f
  WHERE p.ordinal > 1 OR f.version > $4::int
), chosen AS MATERIALIZED (
  SELECT * FROM fact WHERE total - bytes < ${loadBytesMax} ORDER BY ordinal, version LIMIT $5::int
)
SELECT c.lane_id AS "laneId", m.program_id AS program, m.member_id AS "memberId", c.seq, c.version,
  COALESCE(i.pos, e.pos) AS position, c.is_intent AS "isIntent", c.seq <= m.erased_seq AS "isErased",
  k.wrapped_key AS "wrappedKey", COALESCE(i.payload, e.sealed) AS sealed,
  i.recorded_at AS "recordedAt", i.occurred_at AS "occurredAt", i.broker_at AS "brokerAt", i.operation,
  i.event_type AS "eventType", i.source, i.store_id AS "storeId", i.purchase_id AS "purchaseId",
  i.amount, i.currency, i.waits_for_seq AS "waitsForSeq", i.topic, i.partition,
  i.kafka_offset AS "offset", i.programs_hash AS "programsHash", e.type, e.at, e.attempt, e.epoch, e.data,
  (SELECT count(*)::int FROM fact) AS "found"
FROM chosen c JOIN member m USING (lane_id) LEFT JOIN member_key k USING (lane_id)
LEFT JOIN intent i ON c.is_intent AND i.lane_id = c.lane_id AND i.seq = c.seq
LEFT JOIN LATERAL (SELECT * FROM intent_history h
  WHERE NOT c.is_intent AND h.lane_id = c.lane_id AND h.seq = c.seq AND h.version = c.version OFFSET 0) e ON true
ORDER BY c.ordinal, c.version`,
};

type OfIntent = Omit<ExportedIntent, 'kind' | 'command' | 'sourceRecord'>;
type OfEvent = Pick<ExportedEvent, 'type' | 'at' | 'attempt'>;

/** A row of `intent` or of `intent_history`; the columns of the other one are null. */
interface ExportRow extends OfIntent, OfEvent {
  readonly laneId: number;
  readonly isIntent: boolean;
  /** Null once the member's key is destroyed. */
  readonly wrappedKey: Buffer | null;
  readonly sealed: Buffer | null;
  readonly data: ExportedEvent['data'] | null;
  readonly epoch: number;
}

interface FactsToLoad {
  readonly places: readonly IdentityPlace[];
  readonly upTo: number;
  /** Of the first place: the last version that was read. */
  readonly afterVersion: number;
  /** Lines at most. */
  readonly limit: number;
}

/** Intents with their events, in the order of `places` and of their versions. `isCut`: not all of them. */
async function loadExportFacts(
  database: Database,
  { places, upTo, afterVersion, limit }: FactsToLoad,
): Promise<{ readonly rows: readonly ExportRow[]; readonly isCut: boolean }> {
  if (places.length === 0) return { rows: [], isCut: false };
  const { rows } = await database.execute<ExportRow & { readonly found: number }>(loadExportFactsStatement, [
    places.map(({ laneId }) => laneId),
    places.map(({ seq }) => seq),
    upTo,
    afterVersion,
    limit,
  ]);
  return { rows, isCut: rows.length < (rows[0]?.found ?? 0) };
}

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
  const { wrappedKey: _key, sealed: _sealed, epoch: _epoch, ...clear } = row;
  return { ...clear, kind: 'intent', isErased: isErased(row), command, sourceRecord };
}

function toEvent(row: ExportRow, keys: MemberKeys): ExportedEvent {
  const { program, memberId, seq, version, position, type, at, attempt, data, epoch } = row;
  const evidence = opened(row, keys, (place, sealed) => {
    const event = evidencePlace({ ...place, type, attempt, epoch, version });
    return JSON.parse(keys.openFor(event, sealed)) as unknown;
  });
  const of = { program, memberId, seq, version, position, isErased: isErased(row) };
  return { kind: 'event', ...of, type, at, attempt, data: data ?? {}, evidence };
}

function isSame(place: ExportPlace, position: ExportPosition): boolean {
  return place.laneId === position.laneId && place.seq === position.seq;
}

/** The next lines of an export. `next`: where it continues; null at its end. */
export interface ExportChunk {
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

/** What was recorded and what came of it, in bulk. */
@Injectable()
export class ExportRepository {
  constructor(
    private readonly database: Database,
    private readonly keys: MemberKeys,
  ) {}

  /** Fixes the extent of an export. @param bound what was answered before; null to begin */
  async freeze(selection: ExportSelection, bound: PositionBound | null): Promise<FrozenExport> {
    const { database } = this;
    if (bound === null) return { kind: 'open', bound: await takeBound(database) };
    const answer = await isFinal(database, bound);
    if (answer === 'final') return { kind: 'frozen', extent: await extentOf(database, selection, bound.pos) };
    return { kind: 'open', bound: answer === 'open' ? bound : null };
  }

  /**
   * Reads on in an export, a little at a time: intents in the order of their recording, each followed by its events. The
   * same lines come whenever and by whatever process they are read, but for what was erased in between. Few lines, even
   * none, do not mean that it is at its end.
   */
  async read(request: {
    readonly extent: ExportExtent;
    readonly after: ExportPosition;
    readonly limit: number;
  }): Promise<ExportChunk> {
    const { database, keys } = this;
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
}
