import type { SqlStatement } from '#platform';

import type { ListEntry } from '../case.js';

/**
 * The lists that a person can see: how each intent that is not delivered stands (docs/operations/stuck.md), and the
 * quarantine. Nothing else is read from the tables.
 */
export const listsStatement: SqlStatement = {
  name: 'judge_lists',
  text: `
WITH standing AS (
  SELECT DISTINCT ON (lane_id, seq) lane_id, seq, type, data, at FROM intent_event
  WHERE type <> ALL ('{PassFound,PassAbsent,IntentCorrected,LateOutcome,ProbeRead}')
  ORDER BY lane_id, seq, version DESC)
SELECT i.topic || '/' || i.partition || '/' || i.kafka_offset AS place, COALESCE(s.type, 'IntentRecorded') AS type, COALESCE(s.data ->> 'as', '') AS resolved,
  s.data ->> 'reason' AS reason, m.member_id AS member, i.operation, s.at::text AS since, NULL::text AS "dealtWith"
FROM intent i JOIN member m USING (lane_id) LEFT JOIN standing s USING (lane_id, seq)
WHERE COALESCE(s.type, '') <> ALL ('{AttemptApplied,VerifiedApplied}')
UNION ALL
SELECT topic || '/' || partition || '/' || kafka_offset, 'Quarantined', '', reason, NULL, NULL, NULL,
  CASE WHEN state = 'open' THEN NULL ELSE state END
FROM quarantine`,
};

export interface ListRow {
  readonly place: string;
  readonly type: string;
  readonly resolved: string;
  readonly reason: string | null;
  readonly member: string | null;
  readonly operation: string | null;
  readonly since: string | null;
  readonly dealtWith: string | null;
}

const listOf: { readonly [type: string]: ListEntry['list'] } = {
  Quarantined: 'quarantined',
  IntentParked: 'parked',
  IntentCancelled: 'cancelled',
  WaitingBegan: 'waiting',
};

export function listEntries(rows: readonly ListRow[]): ListEntry[] {
  return rows
    .filter(({ type, resolved }) => !(type === 'IntentResolved' && resolved === 'delivered'))
    .map(({ place, type, reason, member, operation, since, dealtWith }) => ({
      list: listOf[type] ?? 'open',
      place,
      reason,
      member,
      ...(operation === null ? {} : { operation }),
      ...(since === null ? {} : { sinceMs: Number(since) }),
      ...(dealtWith === 'resubmitted' || dealtWith === 'discarded' ? { dealtWith } : {}),
    }));
}
