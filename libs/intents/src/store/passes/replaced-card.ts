import type { IdentityPlace } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';

import { extendLanes, extensionByOne, tallyIntents } from '../batch/place-intents.js';
import { timestamp } from '../events/stored-event.js';
import { deliveredBy, operationList } from '../events/transition-sql.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { appendByOthers } from '../lanes/locked-lane.js';
import { amountNow, gives } from '../lanes/receipt-account.js';
import type { RenewedRow } from './renew-pass.js';
import { goFirst, insertOfSameRecord, isOfLostCard, resealed } from './renew-pass.js';

const operation = 'update-via-workflow';

/** What was delivered since the last card was listed as lost: to that card, for no other was there. */
const findHeldStatement: SqlStatement = {
  name: 'find_held_by_lost_card',
  text: `
SELECT i.payload, i.topic, i.partition, l.program_id AS program, k.wrapped_key AS "wrappedKey", held.*
FROM intent i JOIN lane l USING (lane_id) JOIN member m USING (lane_id) JOIN member_key k USING (lane_id)
CROSS JOIN LATERAL (
  SELECT b.currency, count(*) FILTER (WHERE b.operation = 'transaction')::int AS transactions,
    count(*) FILTER (WHERE b.operation = 'reward')::int AS rewards,
    sum(CASE WHEN b.event_type = 'loyalty.purchase.completed.v1' OR ${gives} THEN ${amountNow('b')} ELSE -${amountNow('b')} END)::text AS amount
  FROM intent b LEFT JOIN intent t ON t.lane_id = b.lane_id AND t.seq = b.waits_for_seq
  LEFT JOIN intent_standing s ON s.lane_id = b.lane_id AND s.seq = b.seq
  WHERE b.lane_id = i.lane_id AND b.seq > m.erased_seq AND b.operation IN (${operationList('uses')})
    AND COALESCE(s.status = 'delivered', true) AND EXISTS (
      SELECT FROM intent_event e WHERE e.lane_id = b.lane_id AND e.seq = b.seq AND ${deliveredBy('e')} AND e.version > COALESCE((
        SELECT max(o.version) FROM intent o WHERE o.lane_id = i.lane_id AND ${isOfLostCard('o')}), 0))
  GROUP BY b.currency) held
WHERE i.lane_id = $1 AND i.seq = $2 AND i.seq > m.erased_seq AND i.operation IN (${operationList('makes')})
ORDER BY held.currency NULLS LAST`,
};

interface HeldRow extends Pick<RenewedRow, 'payload' | 'topic' | 'partition' | 'program' | 'wrappedKey'> {
  readonly currency: string | null;
  readonly transactions: number;
  readonly rewards: number;
  /** What refunds took back is taken off; null: there are rewards only. */
  readonly amount: string | null;
}

/** Rewards have no currency: they stand beside the first sum, where there is any. */
function asItems(rows: readonly HeldRow[]): readonly HeldRow[] {
  const [first, ...others] = rows.filter(({ currency }) => currency !== null);
  const rewards = rows.find(({ currency }) => currency === null)?.rewards ?? 0;
  return first === undefined ? rows : [{ ...first, rewards }, ...others];
}

const detailOf = ({ transactions, rewards, amount, currency }: HeldRow): string =>
  [
    'a card was made in the place of one that is gone, on which were',
    ...(amount === null ? [] : [`${transactions} transactions of ${amount} ${currency ?? ''} in all`]),
    ...(rewards === 0 ? [] : [`${rewards} rewards`]),
  ].join(' ');

/**
 * A card was made where an earlier one may have been: what that held stands in a list with its sum, by currency, for no call moves
 * it. To be called in the transaction that settles the enrolment: the lane is locked.
 */
export async function listLostCard(
  session: SqlSession,
  { of, now }: { readonly of: IdentityPlace; readonly now: number },
  keys: MemberKeys,
): Promise<void> {
  const { laneId } = of;
  const { rows } = await session.query<HeldRow>(findHeldStatement, [laneId, of.seq]);
  for (const row of asItems(rows)) {
    const { program, topic, partition, amount, currency } = row;
    const extension = extensionByOne({ laneId, program }, operation);
    const lane = (await extendLanes(session, [extension], now)).get(laneId);
    if (lane === undefined) throw new Error('a lane was not extended');
    const place = { laneId, seq: lane.firstSeq, key: keys.learn(laneId, row.wrappedKey) };
    const payload = resealed(keys, { from: { ...place, seq: of.seq }, to: place, command: null }, row.payload);
    const parameters = [laneId, of.seq, place.seq, lane.firstVersion, operation, payload, timestamp(now)];
    await session.query(insertOfSameRecord, [...parameters, amount, currency]);
    await tallyIntents(session, [{ topic, partition, program, operation }]);
    await goFirst(session, place, now);
    const event = { type: 'IntentParked', at: now, reason: 'card-replaced', lane: 'continue' } as const;
    const evidence = JSON.stringify({ detail: detailOf(row) });
    await appendByOthers(session, { ...place, event, evidence, settles: true }, keys);
  }
}
