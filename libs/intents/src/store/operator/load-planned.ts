import type { EventPlanner, IdentityPlace, PartnerCommand } from '#intents/core';
import { evolve, initialIntentState, unknownInLostHistory } from '#intents/core';
import type { Database, SqlStatement } from '#platform';

import type { StoredMarks } from '../batch/members.js';
import { marksOf } from '../batch/members.js';
import type { LoadedEventRow } from '../events/stored-event.js';
import { loadEvents, toEvent } from '../events/stored-event.js';
import { operationList } from '../events/transition-sql.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { openCorrection, openPayload, unlessBroken } from '../keys/member-keys.js';
import { planStored } from '../lanes/plan-claimed.js';
import { forgottenBefore } from '../recovery/recovery.js';
import { loadCommandsMax } from './load-commands.js';

const loadPlansStatement: SqlStatement = {
  name: 'load_plans',
  text: `
SELECT i.lane_id AS "laneId", i.seq, i.payload, i.recorded_at AS "recordedAt", encode(i.programs_hash, 'hex') AS "programsHash",
  ${forgottenBefore('i')} AS "forgottenBefore", k.wrapped_key AS "wrappedKey",
  CASE WHEN i.operation IN (${operationList('makes')}) THEN m.profile_marks END AS "profileMarks"
FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, seq)
JOIN intent i USING (lane_id, seq) JOIN member m USING (lane_id) JOIN member_key k USING (lane_id)
WHERE i.seq > m.erased_seq`,
};

interface PlanRow extends IdentityPlace {
  readonly payload: Buffer;
  readonly recordedAt: number;
  readonly programsHash: string;
  readonly forgottenBefore: number | null;
  readonly wrappedKey: Buffer;
  readonly profileMarks: StoredMarks | null;
}

/** What an intent says, and what would be sent for it by the programs file of now. */
export interface LoadedPlan extends IdentityPlace {
  /** As it was planned and corrected last. */
  readonly current: PartnerCommand;
  /** Null: the same. */
  readonly planned: PartnerCommand | null;
}

function open(
  row: PlanRow,
  events: readonly LoadedEventRow[],
  { planner, keys }: { readonly planner: EventPlanner; readonly keys: MemberKeys },
): LoadedPlan | null {
  const { laneId, seq, payload, recordedAt, programsHash, wrappedKey, profileMarks } = row;
  const place = { laneId, seq, key: keys.learn(laneId, wrappedKey) };
  const correction = events.findLast((event) => event.correction !== null)?.correction ?? null;
  const current = correction === null ? openPayload(keys, place, payload) : openCorrection(keys, place, correction);
  if (current === null) return null;
  const recorded = evolve(initialIntentState, { type: 'IntentRecorded', at: recordedAt });
  const folded = events.reduce((before, event) => evolve(before, toEvent(event)), recorded);
  const isForgotten = row.forgottenBefore !== null;
  const state = row.forgottenBefore === null ? folded : unknownInLostHistory(folded, row.forgottenBefore);
  const marks = profileMarks === null ? null : marksOf(profileMarks, null);
  const stored = { place, payload, programsHash, recordedAt, corrections: events, state, isForgotten, current, marks };
  return { laneId, seq, current, planned: planStored(stored, planner, keys)?.command ?? null };
}

/** What the given intents say, those that say something and are not erased, as delivery would plan them; in no order. Personal. */
export async function loadPlanned(
  database: Database,
  places: readonly IdentityPlace[],
  tools: { readonly planner: EventPlanner; readonly keys: MemberKeys },
): Promise<LoadedPlan[]> {
  if (places.length > loadCommandsMax) throw new RangeError(`at most ${loadCommandsMax} commands at once`);
  const parameters = [places.map(({ laneId }) => laneId), places.map(({ seq }) => seq)];
  const { rows } = await database.execute<PlanRow>(loadPlansStatement, parameters);
  const loaded = await loadEvents(database, rows);
  const nameOf = (laneId: number, seq: number): string => `${laneId}/${seq}`;
  const events = Map.groupBy(loaded, ({ lane_id: laneId, seq }) => nameOf(laneId, seq));
  return rows.flatMap(
    (row) => unlessBroken(() => open(row, events.get(nameOf(row.laneId, row.seq)) ?? [], tools)) ?? [],
  );
}
