import type { PassName } from '#intents/core';
import type { Database, SqlStatement } from '#platform';
import { SealBrokenError } from '#platform';

import { operationList } from '../events/transition-sql.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { evidencePlace } from '../keys/member-keys.js';
import type { EventPlace } from '../keys/seal-place.js';
import { passNameIn } from '../outcomes/outcome.js';

/**
 * The newest evidence that may show the pass: enrolments that were applied, lookups that found it, and listings. By epoch first: an
 * answer is bound to it, so that one told once more does not become the newest.
 */
const findEvidenceStatement: SqlStatement = {
  name: 'find_pass_names',
  text: `
SELECT m.lane_id AS "laneId", e.seq, e.type, e.attempt, e.epoch, e.version, e.sealed
FROM unnest($1::bigint[]) AS w (lane_id) JOIN member m USING (lane_id)
CROSS JOIN LATERAL (
  SELECT e.seq, e.type, e.attempt, e.epoch, e.version, e.sealed FROM intent_event e LEFT JOIN intent i USING (lane_id, seq)
  WHERE e.lane_id = m.lane_id AND e.sealed IS NOT NULL AND (e.seq > m.erased_seq OR m.erased_seq = 0)
    AND (e.type IN ('PassFound', 'PassAdopted') OR e.type IN ('AttemptApplied', 'VerifiedApplied')
      AND i.operation IN (${operationList('makes')}))
  ORDER BY e.epoch DESC, e.version DESC LIMIT 1) AS e`,
};

interface Row extends EventPlace {
  readonly sealed: Buffer;
}

/**
 * The newest evidence that shows the passes of these lanes. None where the partner never showed one, where it has
 * left, and where the evidence opens no more.
 */
export async function findPassEvidence(
  database: Pick<Database, 'execute'>,
  lanes: readonly { readonly laneId: number; readonly key: Uint8Array }[],
  keys: MemberKeys,
): Promise<ReadonlyMap<number, string>> {
  if (lanes.length === 0) return new Map();
  const { rows } = await database.execute<Row>(findEvidenceStatement, [lanes.map(({ laneId }) => laneId)]);
  const keyOf = new Map(lanes.map(({ laneId, key }) => [laneId, key]));
  const opened = rows.flatMap((row) => {
    const evidence = open(row, keyOf.get(row.laneId), keys);
    return evidence === null ? [] : [[row.laneId, evidence] as const];
  });
  return new Map(opened);
}

/** What the partner calls the passes of these lanes, as it last showed them. */
export async function findPassNames(
  ...asked: Parameters<typeof findPassEvidence>
): Promise<ReadonlyMap<number, PassName>> {
  const evidence = await findPassEvidence(...asked);
  return new Map([...evidence].map(([laneId, text]) => [laneId, passNameIn(text)]));
}

function open({ sealed, ...event }: Row, key: Uint8Array | undefined, keys: MemberKeys): string | null {
  if (key === undefined) return null;
  try {
    return keys.openFor(evidencePlace({ ...event, key }), sealed);
  } catch (error) {
    if (error instanceof SealBrokenError) return null;
    throw error;
  }
}
