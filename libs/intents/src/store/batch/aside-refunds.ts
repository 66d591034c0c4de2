import type { IdentityPlace, PartnerCommand } from '#intents/core';
import { commandOfSurvivor } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';

import { within } from '../coordination/pauses.js';
import { timestamp } from '../events/stored-event.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { lockLane } from '../lanes/lane-locks.js';
import { appendByOthers, loadIntentState } from '../lanes/locked-lane.js';
import { amountNow, changeNow, takesBack } from '../lanes/receipt-account.js';
import { loadCommands } from '../operator/load-commands.js';
import { resealed } from '../passes/renew-pass.js';
import type { Member, MemberCache } from './members.js';
import { memberKey } from './members.js';
import type { PlacedIntent } from './place-intents.js';
import { extendLanes, extensionByOne, tallyIntents } from './place-intents.js';
import type { ProfileMarkTable } from './profile-marks.js';

/** Refunds that follow one sale to the member in whom theirs lives on, at most: of more the rest is for a person. */
const followedMax = 100;

/** What stepped aside for a sale in other lanes than the sale's. */
const findElsewhereStatement: SqlStatement = {
  name: 'find_aside_elsewhere',
  text: `
SELECT r.lane_id AS "laneId", r.seq, r.payload, r.topic, r.partition, r.operation, s.program_id AS program
FROM intent r JOIN intent_standing s USING (lane_id, seq)
WHERE r.receipt = $1 AND r.lane_id <> $2 AND s.status = 'parked' AND s.reason = 'missing-purchase' AND NOT ${takesBack('r')}
ORDER BY r.lane_id, r.seq LIMIT ${followedMax}`,
};

interface AsideRow extends IdentityPlace {
  readonly payload: Buffer;
  readonly topic: string;
  readonly partition: number;
  readonly operation: PlacedIntent['intent']['operation'];
  readonly program: string;
}

/** Behind the sale, by what it says now; its time is after every restore, for no lost history can have sent what is made only now. */
const insertMovedStatement: SqlStatement = {
  name: 'insert_moved',
  text: `
INSERT INTO intent (lane_id, seq, version, operation, dedup_key, waits_for_seq, payload, store_id, purchase_id, valid_until,
  currency, amount, receipt, previous_total, corrected_total, event_type, source, occurred_at, broker_at, kafka_offset, recorded_at,
  topic, partition, programs_hash)
SELECT $3, $4, $5, operation, dedup_key, $6, $7, store_id, purchase_id, valid_until,
  currency, ${amountNow('intent')}, receipt, previous_total, previous_total + ${changeNow('intent')}, event_type, source, occurred_at, GREATEST(broker_at, (SELECT max(produced_until) FROM recovery)),
  kafka_offset, $8::timestamptz, topic, partition, programs_hash
FROM intent WHERE lane_id = $1 AND seq = $2`,
};

const moveIdentitiesStatement: SqlStatement = {
  name: 'move_identities',
  text: `
UPDATE dedup SET lane_id = $3, seq = $4
WHERE lane_id = $1 AND seq = $2 AND kind = 'business' AND body_mac <> ''::bytea`,
};

interface AsideTools {
  readonly members: Pick<MemberCache, 'ofLane'>;
  readonly profiles: Pick<ProfileMarkTable, 'survivorOf'>;
  readonly keys: MemberKeys;
  readonly now: number;
}

/**
 * A sale is recorded for the member in whom another one lives on now: what stepped aside for it under that one's name follows it, to
 * the card that gets the sale. What is of anybody else is for a person.
 */
export async function followSales(
  session: SqlSession,
  placed: readonly PlacedIntent[],
  tools: AsideTools,
): Promise<void> {
  for (const sale of placed) {
    if (sale.receipt === null || sale.intent.businessKey?.scope !== 'purchase') continue;
    const { rows } = await session.query<AsideRow>(findElsewhereStatement, [sale.receipt, sale.laneId]);
    for (const refund of rows) {
      const owner = await tools.members.ofLane(session, refund.laneId);
      const isKin = memberKey(tools.profiles.survivorOf(owner)) === memberKey(sale.intent);
      if (isKin) await follow(session, { refund, owner, sale }, tools);
    }
  }
}

interface Following {
  readonly refund: AsideRow;
  readonly owner: Member;
  readonly sale: PlacedIntent;
}

async function follow(session: SqlSession, { refund, owner, sale }: Following, tools: AsideTools): Promise<void> {
  const { keys, now } = tools;
  const { laneId, seq, topic, partition, operation, program } = refund;
  await lockLane(session, laneId);
  const command = await commandOf(session, { laneId, seq }, keys);
  if (command === null || owner.key === null) return;
  const extension = extensionByOne({ laneId: sale.laneId, program }, operation);
  const lane = (await extendLanes(session, [extension], now)).get(sale.laneId);
  if (lane === undefined) throw new Error('a lane was not extended');
  const place = { laneId: sale.laneId, seq: lane.firstSeq, key: sale.key };
  const survival = { absorbed: owner.memberId, survivor: sale.intent.memberId };
  const resealing = { from: { laneId, seq, key: owner.key }, to: place, command: commandOfSurvivor(command, survival) };
  const payload = resealed(keys, resealing, refund.payload);
  const parameters = [laneId, seq, place.laneId, place.seq, lane.firstVersion, sale.seq, payload, timestamp(now)];
  await session.query(insertMovedStatement, parameters);
  await tallyIntents(session, [{ topic, partition, program, operation }]);
  const parked = { type: 'IntentParked', at: now, reason: 'missing-purchase', lane: 'continue' } as const;
  const evidence = JSON.stringify({ detail: 'its sale has come, of the member in whom its own lives on' });
  await appendByOthers(session, { ...place, event: parked, evidence, settles: true }, keys);
  const moved = { type: 'IntentCancelled', at: now, by: 'loyaltyd', reason: 'merged' } as const;
  await appendByOthers(session, { laneId, seq, event: moved, evidence: null, settles: true }, keys);
  await session.query(moveIdentitiesStatement, [laneId, seq, place.laneId, place.seq]);
}

/** What it says; null: nothing, or something of it may have been sent. The lane is locked. */
async function commandOf(session: SqlSession, place: IdentityPlace, keys: MemberKeys): Promise<PartnerCommand | null> {
  const { state, isUntouched } = await loadIntentState(session, place);
  if (!isUntouched || state.status !== 'parked') return null;
  const [loaded] = await loadCommands(within(session), [place], keys);
  return loaded?.current.kind === 'command' ? loaded.current.command : null;
}
