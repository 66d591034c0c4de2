import type { SqlStatement } from '#platform';

import type { ListEntry, OperatorAct } from '../case.js';

/**
 * The lists that a person can see: how each intent that is not delivered stands (`loyaltyd get intents`), and the
 * quarantine, of which one row may be a batch of records. Nothing else is read from the tables, but for the audit.
 */
export const listsStatement: SqlStatement = {
  name: 'judge_lists',
  text: `
WITH latest AS (
  SELECT DISTINCT ON (lane_id, seq) lane_id, seq, type FROM intent_history
  WHERE type <> ALL ('{PassFound,PassAbsent,PassAdopted,IntentCorrected,CancelRequested,LateOutcome,ProbeRead}')
  ORDER BY lane_id, seq, version DESC)
SELECT i.topic || '/' || i.partition || '/' || i.kafka_offset AS place, COALESCE(s.status, 'open') AS list, s.reason,
  m.member_id AS member, i.operation, (extract(epoch FROM s.since) * 1000)::float8 AS since, NULL::text AS "dealtWith"
FROM intent i JOIN member m USING (lane_id)
LEFT JOIN intent_standing s USING (lane_id, seq) LEFT JOIN latest l USING (lane_id, seq)
WHERE CASE WHEN s.status IS NULL THEN COALESCE(l.type, '') <> ALL ('{AttemptApplied,VerifiedApplied}')
  ELSE s.status <> 'delivered' END
UNION ALL
SELECT topic || '/' || partition || '/' || n, 'quarantined', reason, NULL, NULL, NULL, CASE WHEN state = 'open' THEN NULL ELSE state END
FROM quarantine, generate_series(kafka_offset, COALESCE(last_offset, kafka_offset)) AS n`,
};

export interface ListRow {
  readonly place: string;
  readonly list: string;
  readonly reason: string | null;
  readonly member: string | null;
  readonly operation: string | null;
  /** Epoch ms. */
  readonly since: number | null;
  readonly dealtWith: string | null;
}

const lists: readonly ListEntry['list'][] = ['quarantined', 'parked', 'cancelled', 'waiting', 'open'];

export function listEntries(rows: readonly ListRow[]): ListEntry[] {
  return rows.map(({ list, place, reason, member, operation, since, dealtWith }) => ({
    list: lists.find((known) => known === list) ?? 'open',
    place,
    reason,
    member,
    ...(operation === null ? {} : { operation }),
    ...(since === null ? {} : { sinceMs: since }),
    ...(dealtWith === 'resubmitted' || dealtWith === 'discarded' ? { dealtWith } : {}),
  }));
}

/** What people did, as the audit shows it to everybody: not what a correction says. */
export const actsStatement: SqlStatement = {
  name: 'judge_acts',
  text: `
SELECT a.action, i.topic || '/' || i.partition || '/' || i.kafka_offset AS place, m.program_id AS program, m.member_id AS member,
  (extract(epoch FROM a.at) * 1000)::float8 AS at
FROM operator_action a JOIN member m USING (lane_id) LEFT JOIN intent i USING (lane_id, seq)
WHERE a.action IN ('intent.replay', 'intent.resolve', 'intent.cancel', 'intent.correct', 'reread.settle',
  'reconcile.reissue', 'member.erase')
UNION ALL
SELECT 'intent.replay', i.topic || '/' || i.partition || '/' || i.kafka_offset, m.program_id, m.member_id,
  (extract(epoch FROM r.sent_at) * 1000)::float8
FROM job_item r JOIN intent i USING (lane_id, seq) JOIN member m USING (lane_id) WHERE r.sent_at IS NOT NULL
UNION ALL
SELECT CASE WHEN s.result = 'discarded' THEN 'quarantine.discard' ELSE 'quarantine.resubmit' END,
  q.topic || '/' || q.partition || '/' || q.kafka_offset, NULL, NULL, (extract(epoch FROM s.at) * 1000)::float8
FROM quarantine_settlement s JOIN quarantine q USING (quarantine_id)
ORDER BY 5`,
};

export interface ActRow {
  readonly action: string;
  readonly place: string | null;
  readonly program: string | null;
  readonly member: string | null;
  /** Epoch ms. */
  readonly at: number;
}

const acts: { readonly [action: string]: OperatorAct['act'] } = {
  'intent.replay': 'replay',
  'intent.resolve': 'resolve',
  'intent.cancel': 'cancel',
  'intent.correct': 'correct',
  'reread.settle': 'resolve',
  'reconcile.reissue': 'repair',
  'member.erase': 'erase',
  'quarantine.resubmit': 'resubmit',
  'quarantine.discard': 'discard',
};

export function operatorActs(rows: readonly ActRow[]): OperatorAct[] {
  return rows.flatMap(({ action, place, program, member, at }) => {
    const act = acts[action];
    if (act === undefined) return [];
    return [
      {
        act,
        atMs: at,
        ...(place === null ? {} : { place }),
        ...(program === null ? {} : { program }),
        ...(member === null ? {} : { member }),
      },
    ];
  });
}
