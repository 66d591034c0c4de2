import type { IdentityPlace } from '#domain';
import type { Database, SqlStatement } from '#platform';

import type { ExportedEvent, ExportedIntent } from './exported-fact.js';

/** Sealed bytes loaded at once, unless a single line has more: a source record may have 1 MiB. */
const loadBytesMax = 4 * 1_048_576;

/**
 * Chooses by the sizes alone, then loads what was chosen. `$3`: the last position of the export; `$4`: the version after
 * which the first intent goes on; `$5`: lines at most.
 */
const statement: SqlStatement = {
  name: 'load_export_facts',
  text: `
WITH fact AS MATERIALIZED (
  SELECT p.ordinal, p.lane_id, p.seq, f.version, f.is_intent, f.bytes,
    sum(f.bytes) OVER (ORDER BY p.ordinal, f.version) AS total
  FROM unnest($1::bigint[], $2::int[]) WITH ORDINALITY AS p (lane_id, seq, ordinal) CROSS JOIN LATERAL (
    SELECT i.version, octet_length(i.payload) AS bytes, true AS is_intent FROM intent i
    WHERE i.lane_id = p.lane_id AND i.seq = p.seq
    UNION ALL
    SELECT e.version, COALESCE(octet_length(e.sealed), 0), false FROM intent_event e
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
  i.amount_minor AS "amountMinor", i.currency, i.waits_for_seq AS "waitsForSeq", i.topic, i.partition,
  i.kafka_offset AS "offset", i.programs_hash AS "programsHash", e.type, e.at, e.attempt, e.data,
  (SELECT count(*)::int FROM fact) AS "found"
FROM chosen c JOIN member m USING (lane_id) LEFT JOIN member_key k USING (lane_id)
LEFT JOIN intent i ON c.is_intent AND i.lane_id = c.lane_id AND i.seq = c.seq
LEFT JOIN intent_event e ON NOT c.is_intent AND e.lane_id = c.lane_id AND e.seq = c.seq AND e.version = c.version
ORDER BY c.ordinal, c.version`,
};

type OfIntent = Omit<ExportedIntent, 'kind' | 'command' | 'sourceRecord'>;
type OfEvent = Pick<ExportedEvent, 'type' | 'at' | 'attempt'>;

/** A row of `intent` or of `intent_event`; the columns of the other one are null. */
export interface ExportRow extends OfIntent, OfEvent {
  readonly laneId: number;
  readonly isIntent: boolean;
  /** Null once the member's key is destroyed. */
  readonly wrappedKey: Buffer | null;
  readonly sealed: Buffer | null;
  readonly data: ExportedEvent['data'] | null;
}

export interface FactsToLoad {
  readonly places: readonly IdentityPlace[];
  readonly upTo: number;
  /** Of the first place: the last version that was read. */
  readonly afterVersion: number;
  /** Lines at most. */
  readonly limit: number;
}

/** Intents with their events, in the order of `places` and of their versions. `isCut`: not all of them. */
export async function loadExportFacts(
  database: Database,
  { places, upTo, afterVersion, limit }: FactsToLoad,
): Promise<{ readonly rows: readonly ExportRow[]; readonly isCut: boolean }> {
  if (places.length === 0) return { rows: [], isCut: false };
  const { rows } = await database.execute<ExportRow & { readonly found: number }>(statement, [
    places.map(({ laneId }) => laneId),
    places.map(({ seq }) => seq),
    upTo,
    afterVersion,
    limit,
  ]);
  return { rows, isCut: rows.length < (rows[0]?.found ?? 0) };
}
