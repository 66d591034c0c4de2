import type { IdentityPlace, Operation, PartnerCommand, Renewal } from '#intents/core';
import { laneDetoursMax, sendFirst } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';

import type { StoredMarks } from '../batch/members.js';
import { marksOf } from '../batch/members.js';
import { extendLanes, extensionByOne, tallyIntents } from '../batch/place-intents.js';
import { withoutOvertaken } from '../batch/profile-marks.js';
import type { IngestKeys } from '../batch/recording.js';
import { timestamp } from '../events/stored-event.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { openWhole, sealPayload, sourceEventText } from '../keys/member-keys.js';
import { lockLane } from '../lanes/lane-locks.js';
import { appendByOthers, moveLane } from '../lanes/locked-lane.js';

/** Why a person must look. */
const noUpdateDetail = 'update: the member had a pass before, and the program does not say how to update it';

/** SQL: whether an intent stands in the list for the card that its member has lost, or has stood there. */
export function isOfLostCard(intent: string): string {
  return `EXISTS (SELECT FROM intent_event lost WHERE lost.lane_id = ${intent}.lane_id AND lost.seq = ${intent}.seq
    AND lost.type = 'IntentParked' AND lost.data->>'reason' = 'card-replaced')`;
}

/** Nothing where it was told before, is erased, or is not its member's last enrolment. */
const findRenewedStatement: SqlStatement = {
  name: 'find_renewed',
  text: `
SELECT i.payload, i.topic, i.partition, l.program_id AS program, m.profile_at AS "profileAt",
  m.profile_marks AS "profileMarks", k.wrapped_key AS "wrappedKey"
FROM intent i JOIN lane l USING (lane_id) JOIN member m USING (lane_id) JOIN member_key k USING (lane_id)
WHERE i.lane_id = $1 AND i.seq = $2 AND i.seq > m.erased_seq AND i.seq = l.issue_seq AND NOT EXISTS (
  SELECT FROM intent o WHERE o.lane_id = i.lane_id AND o.dedup_key = i.dedup_key AND o.seq <> i.seq AND NOT ${isOfLostCard('o')})`,
};

export interface RenewedRow {
  readonly payload: Buffer;
  readonly topic: string;
  readonly partition: number;
  readonly program: string;
  readonly profileAt: number | null;
  readonly profileMarks: StoredMarks | null;
  readonly wrappedKey: Buffer;
}

/** Its time is after every restore: no lost history can have sent what is made only now. */
export const insertOfSameRecord: SqlStatement = {
  name: 'insert_renewal',
  text: `
INSERT INTO intent (lane_id, seq, version, operation, dedup_key, payload, event_type, source, occurred_at, broker_at,
  kafka_offset, recorded_at, topic, partition, programs_hash, amount, currency)
SELECT lane_id, $3, $4, $5, dedup_key, $6, event_type, source, occurred_at,
  GREATEST(broker_at, (SELECT max(produced_until) FROM recovery)), kafka_offset, $7::timestamptz,
  topic, partition, programs_hash, $8::numeric, $9
FROM intent WHERE lane_id = $1 AND seq = $2`,
};

interface RenewalRequest {
  /** The enrolment that has found a pass. */
  readonly of: IdentityPlace;
  readonly renewal: Renewal;
  readonly now: number;
}

/**
 * Records what an enrolment that has found a pass says, as an update of its own that goes before all that waits; as far as
 * nothing newer was said. Without a way to update it is born parked. To be called in the transaction that settles the
 * enrolment, so that it is recorded once: the lane is locked.
 */
export async function recordRenewal(
  session: SqlSession,
  request: RenewalRequest,
  { members: keys, mac }: Pick<IngestKeys, 'members' | 'mac'>,
): Promise<void> {
  const { of, renewal, now } = request;
  const { laneId } = of;
  const row = (await session.query<RenewedRow>(findRenewedStatement, [laneId, of.seq])).rows[0];
  if (row === undefined) return;
  const marks = marksOf(row.profileMarks, row.profileAt);
  const command = renewal.command === null ? null : withoutOvertaken(renewal.command, marks, mac);
  if (command === null && renewal.command !== null) return;
  const operation: Operation = command?.operation ?? 'update-via-workflow';
  const { program, topic, partition } = row;
  const extension = extensionByOne({ laneId, program }, operation);
  const lane = (await extendLanes(session, [extension], now)).get(laneId);
  if (lane === undefined) throw new Error('a lane was not extended');
  const place = { laneId, seq: lane.firstSeq, key: keys.learn(laneId, row.wrappedKey) };
  const payload = resealed(keys, { from: { ...place, seq: of.seq }, to: place, command }, row.payload);
  const parameters = [laneId, of.seq, place.seq, lane.firstVersion, operation, payload, timestamp(now)];
  await session.query(insertOfSameRecord, [...parameters, null, null]);
  await tallyIntents(session, [{ topic, partition, program, operation }]);
  await goFirst(session, place, now);
  if (command !== null) return;
  const event = { type: 'IntentParked', at: now, reason: 'unroutable', lane: 'continue' } as const;
  const evidence = JSON.stringify({ detail: noUpdateDetail });
  await appendByOthers(session, { ...place, event, evidence, settles: true }, keys);
}

interface Resealing {
  readonly from: IdentityPlace & { readonly key: Uint8Array };
  readonly to: IdentityPlace & { readonly key: Uint8Array };
  readonly command: PartnerCommand | null;
}

/** Another command, beside the same record. */
export function resealed(keys: MemberKeys, { from, to, command }: Resealing, payload: Buffer): Buffer {
  const { sourceRecord, traceparent } = openWhole(keys, from, payload);
  const sourceEvent = sourceEventText({ ...sourceRecord, traceparent });
  return sealPayload(keys, to, { command: JSON.stringify(command), sourceEvent });
}

/** One detour too many keeps its place. What is under way, or blocks the lane, ends first. */
export async function goFirst(session: SqlSession, { laneId, seq }: IdentityPlace, now: number): Promise<void> {
  const lane = await lockLane(session, laneId);
  if (lane === null || lane.cursor.redo.length >= laneDetoursMax) return;
  const cursor = sendFirst(lane.cursor, seq, lane.attemptOpen || lane.isBlocked);
  await moveLane(session, { laneId, cursor, now });
}
