import { Inject, Injectable } from '@nestjs/common';

import type { IgnoredReason } from '#intents/core';
import type { SqlParameter, SqlStatement } from '#platform';
import { Database } from '#platform';

import { IngestKeys } from '../batch/recording.js';
import { timestamp } from '../events/stored-event.js';
import type { IntentName } from '../operator/intent-action-repository.js';
import type { DeadLetter } from './dead-letters.js';
import { loadDeadLetters } from './dead-letters.js';
import type { Correction } from './sealed-record.js';
import { personDigest } from './person-digests.js';
import { numberDigest } from './record-names.js';
import { openCorrection } from './sealed-record.js';

/** How a record stands that was set aside. */
export type QuarantineState = 'open' | 'resubmitted' | 'discarded';

/** What came of a record that somebody dealt with. `duplicate`: the same had been recorded already. */
export type SettlementResult = 'recorded' | 'duplicate' | 'ignored' | 'discarded';

/** Who dealt with a record, why, and what came of it. */
export interface Settlement {
  /** Epoch ms. */
  readonly at: number;
  readonly actor: string;
  readonly reason: string;
  readonly result: SettlementResult;
  /** Why no new intent came of it. */
  readonly ignoredReason: IgnoredReason | null;
  /** The intent it became, or had become already. */
  readonly intent: IntentName | null;
}

/** A record set aside, without its content. */
export interface BrowsedRecord {
  readonly quarantineId: number;
  readonly state: QuarantineState;
  readonly reason: string;
  readonly detail: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Set: it is a whole record batch, for its records from `offset` to this one. */
  readonly lastOffset: number | null;
  readonly valueBytes: number;
  /** Epoch ms. */
  readonly brokerAt: number;
  readonly recordedAt: number;
  /** Who sent it; null where it does not say, or that was not kept yet. */
  readonly source: string | null;
  readonly store: string | null;
  readonly program: string | null;
  /** What records refused by the same rule at the same path have in common. */
  readonly cause: string;
  /** What it tells of, exact decimal text; null where that cannot be read. */
  readonly amount: string | null;
  readonly currency: string | null;
  /** Null while it is open. */
  readonly settlement: Settlement | null;
}

/**
 * SQL: the state of a record (`q`) by its settlement (`s`, NULL where it has none), which nobody takes back: what was settled is
 * settled, whatever the row says.
 */
export const stateBySettlement = `CASE WHEN s.result IS NULL THEN q.state
    WHEN s.result = 'discarded' THEN s.result ELSE 'resubmitted' END AS state`;

/** SQL: what `browsedRecord` reads. */
const browsedColumns = `q.quarantine_id AS "quarantineId", ${stateBySettlement}, q.reason, q.detail, q.topic, q.partition,
  q.kafka_offset AS "offset", q.last_offset AS "lastOffset", q.value_bytes AS "valueBytes", q.broker_at AS "brokerAt",
  q.recorded_at AS "recordedAt", NULLIF(q.source, '') AS source, NULLIF(q.store_id, '') AS store,
  NULLIF(q.program_id, '') AS program, q.cause, q.amount::text AS amount, q.currency,
  s.at AS "settledAt", s.actor, s.reason AS "settledReason", s.result, s.ignored_reason AS "ignoredReason",
  m.program_id AS "memberProgram", m.member_id AS "memberId", s.seq`;

/** SQL: where `browsedColumns` are found. */
const browsedTables = (
  records: string,
): string => `${records} q LEFT JOIN quarantine_settlement s ON s.quarantine_id = q.quarantine_id
  LEFT JOIN member m ON m.lane_id = s.lane_id`;

interface BrowsedRow extends Omit<BrowsedRecord, 'settlement'> {
  readonly settledAt: number | null;
  readonly actor: string | null;
  readonly settledReason: string | null;
  readonly result: Settlement['result'] | null;
  readonly ignoredReason: Settlement['ignoredReason'];
  readonly memberProgram: string | null;
  readonly memberId: string | null;
  readonly seq: number | null;
}

function intentOf({ memberProgram: program, memberId, seq }: BrowsedRow): Settlement['intent'] {
  return program === null || memberId === null || seq === null ? null : { program, memberId, seq };
}

function settlementOf(row: BrowsedRow): Settlement | null {
  const { settledAt: at, actor, settledReason: reason, result, ignoredReason } = row;
  if (at === null || actor === null || reason === null || result === null) return null;
  return { at, actor, reason, result, ignoredReason, intent: intentOf(row) };
}

function browsedRecord(row: BrowsedRow): BrowsedRecord {
  const { quarantineId, state, reason, detail, topic, partition, offset, lastOffset } = row;
  const { valueBytes, brokerAt, recordedAt, source, store, program, cause, amount, currency } = row;
  return {
    ...{ quarantineId, state, reason, detail, topic, partition, offset, lastOffset },
    ...{ valueBytes, brokerAt, recordedAt, source, store, program, cause, amount, currency },
    settlement: settlementOf(row),
  };
}

/** Which records set aside; what is null counts for nothing. */
export interface QuarantineFilter {
  readonly reason: string | null;
  readonly topic: string | null;
  /** A part of the detail. */
  readonly detail: string | null;
  /** Set aside at or after, and before; epoch ms. */
  readonly from: number | null;
  readonly to: number | null;
  /** Who sent it, as `keptSender` keeps it: empty of what does not say. */
  readonly source: string | null;
  readonly store: string | null;
  readonly program: string | null;
  /** As `causeOf` makes it of a detail. */
  readonly cause?: string | null;
  /** Records that name this member, of whichever program. */
  readonly memberId?: string | null;
  /** Records whose event, purchase, refund or grant has this number. */
  readonly number?: string | null;
}

/** SQL: a record is found by this name. */
const isNamed = (mac: string): string => `(${mac}::bytea IS NULL OR EXISTS (
    SELECT FROM quarantine_name n WHERE n.quarantine_id = q.quarantine_id AND n.name_mac = ${mac}))`;

/** SQL: a row of `quarantine q` is meant; takes `filterParameters` as its first parameters, `$1` to `$11`. */
export const quarantineFilterCondition = `($1::text IS NULL OR q.reason = $1) AND ($2::text IS NULL OR q.topic = $2)
  AND ($3::text IS NULL OR strpos(q.detail, $3) > 0)
  AND ($4::timestamptz IS NULL OR q.recorded_at >= $4) AND ($5::timestamptz IS NULL OR q.recorded_at < $5)
  AND ($6::text IS NULL OR q.source = $6) AND ($7::text IS NULL OR q.store_id = $7)
  AND ($8::text IS NULL OR q.program_id = $8) AND ($9::text IS NULL OR q.cause = $9)
  AND ${isNamed('$10')} AND ${isNamed('$11')}`;

export function filterParameters(filter: QuarantineFilter, macKey: Uint8Array): SqlParameter[] {
  const { reason, topic, detail, from, to, source, store, program } = filter;
  const { cause = null, memberId = null, number = null } = filter;
  const range = [from, to].map((at) => (at === null ? null : timestamp(at)));
  const member = memberId === null ? null : personDigest(macKey, memberId);
  const named = [member, number === null ? null : numberDigest(macKey, number)];
  return [reason, topic, detail, ...range, source, store, program, cause, ...named];
}

export interface QuarantinePageRequest extends QuarantineFilter {
  readonly state: QuarantineState | 'any';
  /** The id that the page before ended with; null for the first. */
  readonly before: number | null;
  readonly limit: number;
}

/**
 * Records that are looked at for one page: where little of them fits, the next page goes on. However many there are, one page
 * costs no more.
 */
export const recordsLookedMax = 2_000;

/** What a page shows or a filter asks for: the sealed bytes are not carried along. */
const lookedColumns = `quarantine_id, state, reason, detail, topic, partition, kafka_offset, last_offset, value_bytes, broker_at,
  recorded_at, source, store_id, program_id, cause, amount, currency`;

/** What was found, the newest first, and in each row how far one has looked; one row without a record where there is none. */
const browseText = (...conditions: readonly string[]): string => `
WITH looked AS MATERIALIZED (
  SELECT ${lookedColumns} FROM quarantine q WHERE ${conditions.join(' AND ')} AND q.quarantine_id < $13::bigint
  ORDER BY q.quarantine_id DESC LIMIT ${recordsLookedMax}
), found AS (
  SELECT ${browsedColumns} FROM ${browsedTables('looked')} WHERE ${quarantineFilterCondition}
  ORDER BY q.quarantine_id DESC LIMIT $14::int
)
SELECT f.*, (SELECT count(*) FROM looked) AS "lookedAt", (SELECT min(quarantine_id) FROM looked) AS "lookedTo"
FROM (SELECT 1) AS one LEFT JOIN found f ON true ORDER BY f."quarantineId" DESC`;

const isOfState = 'q.state = $12';
/** A parameter that is not used has no type. */
const isOfAnyState = '$12::text IS NULL';
/** Of one source, or set aside for one reason: there may be few among very many. */
const isOfSource = 'q.source = $6';
const isOfReason = 'q.reason = $1';
/** Found by a name: however many there are, the newest before the page. */
const isOfName = `q.quarantine_id IN (SELECT n.quarantine_id FROM quarantine_name n
    WHERE n.name_mac = COALESCE($11::bytea, $10::bytea) AND n.quarantine_id < $13::bigint
    ORDER BY n.quarantine_id DESC LIMIT ${recordsLookedMax})`;
/** The index by reason has the open ones alone. */
const isOpen = `q.state = 'open' AND ${isOfState}`;

export const browseStatement: SqlStatement = { name: 'browse_quarantine', text: browseText(isOfState) };

export const browseSourceStatement: SqlStatement = {
  name: 'browse_quarantine_of_source',
  text: browseText(isOfState, isOfSource),
};

export const browseReasonStatement: SqlStatement = {
  name: 'browse_quarantine_of_reason',
  text: browseText(isOpen, isOfReason),
};

const browseAllStatement: SqlStatement = { name: 'browse_all_quarantine', text: browseText(isOfAnyState) };

const browseAllOfSourceStatement: SqlStatement = {
  name: 'browse_all_quarantine_of_source',
  text: browseText(isOfAnyState, isOfSource),
};

export const browseNamedStatement: SqlStatement = {
  name: 'browse_quarantine_of_name',
  text: browseText(`($12::text IS NULL OR ${isOfState})`, isOfName),
};

function browsing({ state, source, reason, memberId, number }: QuarantinePageRequest): SqlStatement {
  if (typeof (memberId ?? number) === 'string') return browseNamedStatement;
  if (source !== null) return state === 'any' ? browseAllOfSourceStatement : browseSourceStatement;
  if (state === 'any') return browseAllStatement;
  return state === 'open' && reason !== null ? browseReasonStatement : browseStatement;
}

type FoundRow = BrowsedRow & { readonly lookedAt: number; readonly lookedTo: number | null };

/** `next` is null at the end. A page may be short, even empty, and yet not be the last. */
export interface QuarantinePageFound {
  readonly items: readonly BrowsedRecord[];
  readonly next: number | null;
}

function pageOf(rows: readonly FoundRow[], limit: number): QuarantinePageFound {
  const items = rows.flatMap((row) => ((row.quarantineId as number | null) === null ? [] : [browsedRecord(row)]));
  if (items.length === limit) return { items, next: items.at(-1)?.quarantineId ?? null };
  const { lookedAt = 0, lookedTo = null } = rows[0] ?? {};
  return { items, next: lookedAt < recordsLookedMax ? null : lookedTo };
}

const findStatement: SqlStatement = {
  name: 'find_quarantined',
  text: `SELECT ${browsedColumns} FROM ${browsedTables('quarantine')} WHERE q.quarantine_id = $1::bigint`,
};

/** Open records that are counted at most, and looked at for it: the newest. */
export const tallyMax = 50_000;

const tallyText = (...conditions: readonly string[]): string => `
WITH looked AS MATERIALIZED (
  SELECT q.quarantine_id, q.reason, q.source, (${quarantineFilterCondition}) AS fits FROM quarantine q
  WHERE ${["q.state = 'open'", ...conditions].join(' AND ')} ORDER BY q.quarantine_id DESC LIMIT ${tallyMax + 1}
), seen AS (SELECT quarantine_id, reason, NULLIF(source, '') AS source FROM looked WHERE fits)
SELECT grouping(reason) = 0 AS "isReason", grouping(source) = 0 AS "isSource", reason, source, count(*),
  (SELECT count(*) FROM looked) AS "lookedAt"
FROM seen GROUP BY GROUPING SETS ((), (reason), (source)) ORDER BY grouping(source) DESC, count(*) DESC, 3, 4 LIMIT 40`;

export const tallyStatement: SqlStatement = { name: 'tally_quarantine', text: tallyText() };

const tallySourceStatement: SqlStatement = { name: 'tally_quarantine_of_source', text: tallyText(isOfSource) };

const tallyReasonStatement: SqlStatement = { name: 'tally_quarantine_of_reason', text: tallyText(isOfReason) };

function tallying({ source, reason }: QuarantineFilter): SqlStatement {
  if (source !== null) return tallySourceStatement;
  return reason === null ? tallyStatement : tallyReasonStatement;
}

interface TallyRow {
  readonly isReason: boolean;
  readonly isSource: boolean;
  readonly reason: string | null;
  readonly source: string | null;
  readonly count: number;
  readonly lookedAt: number;
}

/** How many open records a filter finds, why they were refused and who sent them, the most first. */
export interface QuarantineTally {
  /** Of the newest `tallyMax` open ones where there are more. */
  readonly count: number;
  readonly isExact: boolean;
  readonly byReason: readonly { readonly reason: string; readonly count: number }[];
  /** Null: of those that do not say. */
  readonly bySource: readonly { readonly source: string | null; readonly count: number }[];
}

const readCorrectionStatement: SqlStatement = {
  name: 'read_correction',
  text: `
SELECT sealed_correction AS sealed FROM quarantine_settlement
WHERE quarantine_id = $1::bigint AND sealed_correction IS NOT NULL`,
};

/** What was set aside: to look at, to count and to open. */
@Injectable()
export class QuarantineRepository {
  constructor(
    private readonly database: Database,
    @Inject(IngestKeys) private readonly keys: Pick<IngestKeys, 'quarantine' | 'mac'>,
  ) {}

  /** What was set aside, the newest first. */
  async browse(request: QuarantinePageRequest): Promise<QuarantinePageFound> {
    const { state, before, limit } = request;
    const place = [state === 'any' ? null : state, before ?? Number.MAX_SAFE_INTEGER, limit];
    const parameters = [...filterParameters(request, this.keys.mac), ...place];
    return pageOf((await this.database.execute<FoundRow>(browsing(request), parameters)).rows, limit);
  }

  /** Null where there is none of that id. */
  async find(quarantineId: number): Promise<BrowsedRecord | null> {
    const [row] = (await this.database.execute<BrowsedRow>(findStatement, [quarantineId])).rows;
    return row === undefined ? null : browsedRecord(row);
  }

  /** As `quarantineFilterCondition` takes them. */
  parametersOf(filter: QuarantineFilter): SqlParameter[] {
    return filterParameters(filter, this.keys.mac);
  }

  /** Counts the newest open ones of a filter, `tallyMax` at most. */
  async tally(filter: QuarantineFilter): Promise<QuarantineTally> {
    const { rows } = await this.database.execute<TallyRow>(tallying(filter), filterParameters(filter, this.keys.mac));
    const all = rows.find(({ isReason, isSource }) => !isReason && !isSource);
    const count = all?.count ?? 0;
    return {
      count: Math.min(count, tallyMax),
      isExact: (all?.lookedAt ?? 0) <= tallyMax,
      byReason: rows.flatMap((row) => (row.isReason ? [{ reason: row.reason ?? '', count: row.count }] : [])),
      bySource: rows.flatMap((row) => (row.isSource ? [{ source: row.source, count: row.count }] : [])),
    };
  }

  /** A record set aside, opened; null where there is none. */
  async read(quarantineId: number): Promise<DeadLetter | null> {
    return this.database.transaction('read_quarantined', async (session) => {
      const [letter] = await loadDeadLetters(session, [quarantineId], this.keys.quarantine);
      return letter ?? null;
    });
  }

  /** What a record was taken for instead of what arrived; null: as it arrived. `lost`: no key opens it any more. */
  async readCorrection(quarantineId: number): Promise<Correction | 'lost' | null> {
    const { rows } = await this.database.execute<{ sealed: Buffer }>(readCorrectionStatement, [quarantineId]);
    const sealed = rows[0]?.sealed;
    return sealed === undefined ? null : openCorrection({ quarantineId, sealed }, this.keys.quarantine);
  }
}
