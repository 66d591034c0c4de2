import { Inject, Injectable } from '@nestjs/common';

import type { BusinessKey, IdentityPlace } from '#intents/core';
import { businessKeyText } from '#intents/core';
import type { BrowsedRecord } from '#intents';
import { erasedName, IngestKeys, numberDigest, passNameDigests, personDigest, stateBySettlement } from '#intents';
import type { SqlStatement } from '#platform';
import { Database, digest } from '#platform';

import type { ProgramLimit } from '../access/operator.js';
import { isOfPrograms } from '../access/operator.js';
import type { JobKindName } from '../jobs/job-repository.js';

/** Rows that one statement looks at for one kind, however many begin so. */
const lookedMax = 200;
/** Of the latest intents, to know the stores there are. */
const storesLookedMax = 5_000;

/** SQL: the column begins with the first parameter, in whichever case; both sides are folded by the database alone. */
const begins = (column: string): string => `lower(${column}) ~>=~ lower($1::text)
    AND lower(${column}) ~<~ (lower($1::text) || chr(1114111))`;

export const membersStatement: SqlStatement = {
  name: 'search_members',
  isRead: true,
  text: `
WITH looked AS MATERIALIZED (
  SELECT program_id, member_id, erased_at FROM member WHERE nameless_since IS NULL AND ${begins('member_id')}
  ORDER BY lower(member_id) USING ~<~ LIMIT ${lookedMax}
)
SELECT program_id AS program, member_id AS "memberId", false AS "isErased"
FROM looked WHERE ${isOfPrograms('$2')} ORDER BY lower(member_id) USING ~<~, program_id LIMIT $3::int`,
};

/** Who is erased has a digest for a name: only the whole id finds them. */
export const erasedStatement: SqlStatement = {
  name: 'search_erased_members',
  isRead: true,
  text: `
SELECT program_id AS program FROM member
WHERE program_id = ANY ($1::text[]) AND member_id = $2 AND nameless_since IS NOT NULL ORDER BY program_id`,
};

export const purchasesStatement: SqlStatement = {
  name: 'search_purchases',
  isRead: true,
  text: `
WITH looked AS MATERIALIZED (
  SELECT lane_id, seq, purchase_id FROM intent WHERE purchase_id IS NOT NULL AND ${begins('purchase_id')}
  ORDER BY lower(purchase_id) USING ~<~ LIMIT ${lookedMax}
)
SELECT program_id AS program, p.purchase_id AS "purchaseId", min(m.member_id) AS "memberId", count(*)::int AS intents,
  min(p.seq) AS seq
FROM looked p JOIN member m USING (lane_id) WHERE ${isOfPrograms('$2')}
GROUP BY program_id, p.purchase_id ORDER BY lower(p.purchase_id) USING ~<~, program_id LIMIT $3::int`,
};

/** No index has them, and there are few: the latest intents know all that sell. */
export const storesStatement: SqlStatement = {
  name: 'search_stores',
  isRead: true,
  text: `
WITH latest AS MATERIALIZED (
  SELECT lane_id, store_id FROM intent ORDER BY recorded_at DESC, lane_id DESC, seq DESC LIMIT ${storesLookedMax}
)
SELECT store_id AS store, count(*)::int AS intents FROM latest JOIN member USING (lane_id)
WHERE store_id IS NOT NULL AND ${begins('store_id')} AND ${isOfPrograms('$2')}
GROUP BY store_id ORDER BY count(*) DESC, store_id LIMIT $3::int`,
};

export const jobsStatement: SqlStatement = {
  name: 'search_jobs',
  isRead: true,
  text: `
WITH looked AS MATERIALIZED (
  SELECT job_id, kind, state, program_id FROM job WHERE ${begins('job_id')} ORDER BY lower(job_id) USING ~<~ LIMIT ${lookedMax}
)
SELECT job_id AS id, kind AS "jobKind", state, program_id AS program FROM looked
WHERE ${isOfPrograms('$2')} ORDER BY lower(job_id) USING ~<~ LIMIT $3::int`,
};

export const requestsStatement: SqlStatement = {
  name: 'search_requests',
  isRead: true,
  text: `
SELECT request_id AS "requestId", action_id AS entry, action, actor, at FROM operator_action
WHERE request_id IS NOT NULL AND ${begins('request_id')} ORDER BY lower(request_id) USING ~<~ LIMIT $2::int`,
};

const recordColumns = `q.quarantine_id AS id, ${stateBySettlement}, q.reason, q.detail,
  NULLIF(q.program_id, '') AS program, q.recorded_at AS "recordedAt"`;

/** Of each digest the newest. */
export const namedRecordsStatement: SqlStatement = {
  name: 'search_records_by_name',
  isRead: true,
  text: `
SELECT DISTINCT ${recordColumns}
FROM unnest($1::bytea[]) AS w (mac) CROSS JOIN LATERAL (
  SELECT quarantine_id FROM quarantine_name n WHERE n.name_mac = w.mac ORDER BY quarantine_id DESC LIMIT $2::int
) n JOIN quarantine q USING (quarantine_id) LEFT JOIN quarantine_settlement s USING (quarantine_id)
ORDER BY id DESC LIMIT $2::int`,
};

export const placedRecordsStatement: SqlStatement = {
  name: 'search_records_by_place',
  isRead: true,
  text: `
SELECT ${recordColumns} FROM quarantine q LEFT JOIN quarantine_settlement s USING (quarantine_id)
WHERE q.topic = $1 AND q.partition = $2 AND q.kafka_offset <= $3 AND COALESCE(q.last_offset, q.kafka_offset) >= $3
ORDER BY q.kafka_offset DESC, q.quarantine_id DESC LIMIT $4::int`,
};

const numberedRecordStatement: SqlStatement = {
  name: 'search_record_by_id',
  isRead: true,
  text: `
SELECT ${recordColumns} FROM quarantine q LEFT JOIN quarantine_settlement s USING (quarantine_id)
WHERE q.quarantine_id = $1::bigint`,
};

export const cardsStatement: SqlStatement = {
  name: 'search_cards',
  isRead: true,
  text: `
SELECT DISTINCT program_id AS program, member_id AS "memberId" FROM pass_holder JOIN member USING (lane_id)
WHERE name_mac = ANY ($1::bytea[]) AND ${isOfPrograms('$2')} ORDER BY 1, 2 LIMIT $3::int`,
};

const numbersStatement: SqlStatement = {
  name: 'search_numbers',
  isRead: true,
  text: `
SELECT w.place::int AS place, d.lane_id AS "laneId", d.seq
FROM unnest($1::bytea[]) WITH ORDINALITY AS w (key, place) JOIN dedup d USING (key) WHERE d.kind = 'business' AND d.seq IS NOT NULL
ORDER BY w.place`,
};

/** What is looked for, and how much of it. */
export interface Sought {
  readonly q: string;
  readonly programs: ProgramLimit;
  readonly limit: number;
}

export interface FoundRecord {
  readonly id: number;
  readonly state: BrowsedRecord['state'];
  readonly reason: string;
  readonly detail: string;
  readonly program: string | null;
  /** Epoch ms. */
  readonly recordedAt: number;
}

interface FoundMember {
  readonly program: string;
  readonly memberId: string;
  readonly isErased: boolean;
}

interface FoundPurchase {
  readonly program: string;
  readonly purchaseId: string;
  readonly memberId: string;
  readonly intents: number;
  readonly seq: number;
}

/** A number that a program knows by a digest. */
export interface SoughtNumber {
  readonly program: string;
  readonly scope: BusinessKey['scope'];
}

type ProgramPlace = Parameters<typeof passNameDigests>[0];

/** Finds by a whole name or its beginning; each statement looks at so many rows at most. */
@Injectable()
export class SearchRepository {
  constructor(
    private readonly database: Database,
    @Inject(IngestKeys) private readonly keys: Pick<IngestKeys, 'mac'>,
  ) {}

  async members(sought: Sought, programs: readonly string[]): Promise<FoundMember[]> {
    const { q, limit } = sought;
    const found = await this.beginning<FoundMember>(membersStatement, sought);
    const parameters = [programs, erasedName(this.keys.mac, q)];
    const { rows } = await this.database.execute<{ program: string }>(erasedStatement, parameters);
    const erased = rows.map(({ program }) => ({ program, memberId: q, isErased: true }));
    return [...erased, ...found].slice(0, limit);
  }

  async purchases(sought: Sought): Promise<FoundPurchase[]> {
    return this.beginning(purchasesStatement, sought);
  }

  async stores(sought: Sought): Promise<{ readonly store: string; readonly intents: number }[]> {
    return this.beginning(storesStatement, sought);
  }

  async jobs(sought: Sought): Promise<{ id: string; jobKind: JobKindName; state: string; program: string | null }[]> {
    return this.beginning(jobsStatement, sought);
  }

  async requests({
    q,
    limit,
  }: Sought): Promise<{ requestId: string; entry: number; action: string; actor: string; at: number }[]> {
    return (
      await this.database.execute<{ requestId: string; entry: number; action: string; actor: string; at: number }>(
        requestsStatement,
        [q, limit],
      )
    ).rows;
  }

  /** Records that name it as a member, an event, a receipt or a grant. */
  async recordsNamed({ q, limit }: Sought): Promise<FoundRecord[]> {
    const macs = [personDigest(this.keys.mac, q), numberDigest(this.keys.mac, q)];
    return (await this.database.execute<FoundRecord>(namedRecordsStatement, [macs, limit])).rows;
  }

  async recordsAt(
    { topic, partition, offset }: { readonly topic: string; readonly partition: number; readonly offset: number },
    limit: number,
  ): Promise<FoundRecord[]> {
    const place = [topic, partition, offset, limit];
    return (await this.database.execute<FoundRecord>(placedRecordsStatement, place)).rows;
  }

  async recordOf(id: number): Promise<FoundRecord[]> {
    return (await this.database.execute<FoundRecord>(numberedRecordStatement, [id])).rows;
  }

  /** Members who were shown with a card of this number or id. */
  async cards(
    { q, programs, limit }: Sought,
    places: readonly ProgramPlace[],
  ): Promise<Omit<FoundMember, 'isErased'>[]> {
    const macs = places.flatMap((place) => passNameDigests(place, q, this.keys.mac));
    if (macs.length === 0) return [];
    return (await this.database.execute<FoundMember>(cardsStatement, [macs, programs, limit])).rows;
  }

  /** The intents that have it for their own number, each with the number's meaning. */
  async numbers(
    q: string,
    numbers: readonly SoughtNumber[],
  ): Promise<(IdentityPlace & { readonly scope: BusinessKey['scope'] })[]> {
    if (numbers.length === 0) return [];
    const keys = numbers.map(({ program, scope }) =>
      digest(businessKeyText({ program, key: { scope, parts: [q], perGeneration: false }, generation: 0 })),
    );
    const { rows } = await this.database.execute<IdentityPlace & { readonly place: number }>(numbersStatement, [keys]);
    return rows.flatMap(({ place, laneId, seq }) => {
      const scope = numbers[place - 1]?.scope;
      return scope === undefined ? [] : [{ laneId, seq, scope }];
    });
  }

  private async beginning<Row extends object>(statement: SqlStatement, { q, programs, limit }: Sought): Promise<Row[]> {
    return (await this.database.execute<Row>(statement, [q, programs, limit])).rows;
  }
}
