import type { IdentityPlace } from '#intents/core';
import { personSaid } from '#intents/core';
import type { Database, SqlSession, SqlStatement } from '#platform';

import type { NamedKeys } from '../batch/members.js';
import { isOptOut } from '../events/opt-outs.js';
import { timestamp } from '../events/stored-event.js';
import { loadCommands, loadCommandsMax } from '../operator/load-commands.js';
import type { AuditContext } from '../operator/operator-action.js';
import { personDigest } from '../quarantine/person-digests.js';

/** What an erasure did to a member's lane: stored in the audit. */
export interface ErasureTrace {
  /** Nothing was left to erase. */
  readonly alreadyErased: boolean;
  /** Intents that the destroyed key closes. */
  readonly intents: number;
  readonly cancelled: number;
  /** They may have taken effect; the evidence is erased with the key. */
  readonly parkedAsErased: number;
  /** They were waited for too long: they end as they end. */
  readonly leftUnderWay: number;
  /** Opt-outs of the member that were not sent to the partner. */
  readonly optOutsUntold: number;
}

/** The partner denied that there is a pass, or the member has consented since: there was nothing to tell. */
const hadNothingToTell = `EXISTS (SELECT FROM intent_event c WHERE c.lane_id = i.lane_id AND c.seq = i.seq
      AND c.type = 'IntentCancelled'
      AND (c.data->>'by', c.data->>'reason') IN (('loyaltyd', 'no-pass'), ('source-event', 'overtaken')))`;

/** Told from the events: an erasure may take several turns, and any process may make each of them. */
const measureErasureStatement: SqlStatement = {
  name: 'measure_erasure',
  text: `
SELECT k.lane_id IS NULL AND fresh.intents = 0 AS "alreadyErased", fresh.intents, fresh.untold AS "optOutsUntold",
  done.cancelled, done.parked AS "parkedAsErased"
FROM member m LEFT JOIN member_key k USING (lane_id)
CROSS JOIN LATERAL (
  SELECT count(*)::int AS intents,
    count(*) FILTER (WHERE ${isOptOut('i')} AND s.status IN ('parked', 'cancelled')
      AND NOT ${hadNothingToTell})::int AS untold
  FROM intent i LEFT JOIN intent_standing s USING (lane_id, seq)
  WHERE i.lane_id = m.lane_id AND i.seq > m.erased_seq) fresh
CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE e.type = 'IntentCancelled' AND e.data->>'by' = $3 AND e.data->>'reason' = $4)::int AS cancelled,
    count(*) FILTER (WHERE e.type = 'IntentParked' AND e.data->>'reason' = 'erased')::int AS parked
  FROM intent_event e WHERE e.lane_id = m.lane_id AND e.seq > m.erased_seq AND e.at >= $2::timestamptz) done
WHERE m.lane_id = $1`,
};

/** What an erasure has done so far and what it is about to close, right before the key goes. The lane is locked. */
export async function measureErasure(
  session: SqlSession,
  of: { readonly laneId: number; readonly since: number; readonly audit: Pick<AuditContext, 'actor' | 'reason'> },
): Promise<Omit<ErasureTrace, 'leftUnderWay'>> {
  const { laneId, since, audit } = of;
  const parameters = [laneId, timestamp(since), audit.actor, audit.reason];
  const [measured] = (await session.query<Omit<ErasureTrace, 'leftUnderWay'>>(measureErasureStatement, parameters))
    .rows;
  if (measured === undefined) throw new Error('a member vanished while it was erased');
  return measured;
}

/** The newest of each, as many as anybody has of them. */
const personalMax = 5_000;

/** What may say who somebody is: neither money nor rewards. */
const findPersonalStatement: SqlStatement = {
  name: 'find_personal_intents',
  text: `
SELECT i.lane_id AS "laneId", i.seq FROM intent i JOIN member m USING (lane_id)
WHERE i.lane_id = ANY ($1::bigint[]) AND i.seq > m.erased_seq AND i.operation NOT IN ('transaction', 'reward')
ORDER BY i.seq DESC LIMIT ${personalMax}`,
};

/**
 * What members' e-mail addresses are known by in records of a source's own shape: those that were to be told to the partner, as
 * long as their key is there. Base64.
 */
export async function addressMacsOf(
  database: Pick<Database, 'execute'>,
  laneIds: readonly number[],
  { members: keys, mac }: NamedKeys,
): Promise<readonly string[]> {
  const { rows: places } = await database.execute<IdentityPlace>(findPersonalStatement, [laneIds]);
  const macs = new Set<string>();
  for (let at = 0; at < places.length; at += loadCommandsMax) {
    for (const { current } of await loadCommands(database, places.slice(at, at + loadCommandsMax), keys)) {
      const { email } = current.kind === 'command' ? personSaid(current.command) : {};
      if (email) macs.add(personDigest(mac, email).toString('base64'));
    }
  }
  return [...macs];
}
