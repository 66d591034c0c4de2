import type {
  EventPlanner,
  IdentityPlace,
  IntentState,
  Operation,
  PartnerCommand,
  UnmappedIntent,
} from '#intents/core';
import { evolve, initialIntentState, unknownInLostHistory } from '#intents/core';
import type { Database, SqlStatement } from '#platform';

import type { StoredMarks } from '../batch/members.js';
import { marksOf } from '../batch/members.js';
import type { LoadedEventRow } from '../events/stored-event.js';
import { lastCorrectionIn, loadEvents, toEvent } from '../events/stored-event.js';
import { operationList } from '../events/transition-sql.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { openCorrection, openPayload, openSourceEvent, unlessBroken } from '../keys/member-keys.js';
import { placeKey } from '../lanes/claimed-lane.js';
import { amountNow } from '../lanes/receipt-account.js';
import type { RepeatedUpdate, StoredPlan } from '../lanes/plan-claimed.js';
import { isReissued, planRepeated, planStored, waitsForMapping } from '../lanes/plan-claimed.js';
import { findUpdates } from '../passes/changed-card.js';
import { forgottenBefore } from '../recovery/recovery.js';
import { loadCommandsMax } from './load-commands.js';

/** SQL: whether an intent (`i`) is its member's last enrolment, or tells the pass that this has found what it says. */
const isOfLastEnrolment = `i.dedup_key = (SELECT e.dedup_key FROM lane l JOIN intent e ON e.lane_id = l.lane_id AND e.seq = l.issue_seq
    WHERE l.lane_id = i.lane_id)`;

const loadPlansStatement: SqlStatement = {
  name: 'load_plans',
  text: `
SELECT i.lane_id AS "laneId", i.seq, i.operation, ${amountNow('i')}::text AS amount, m.member_id AS "memberId", i.payload, i.recorded_at AS "recordedAt", encode(i.programs_hash, 'hex') AS "programsHash",
  ${forgottenBefore('i')} AS "forgottenBefore", k.wrapped_key AS "wrappedKey",
  CASE WHEN i.operation IN (${operationList('makes')}) OR ${isOfLastEnrolment} THEN m.profile_marks END AS "profileMarks"
FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, seq)
JOIN intent i USING (lane_id, seq) JOIN member m USING (lane_id) JOIN member_key k USING (lane_id)
WHERE i.seq > m.erased_seq`,
};

interface PlanRow extends IdentityPlace {
  readonly operation: Operation;
  readonly amount: string | null;
  readonly memberId: string;
  readonly payload: Buffer;
  readonly recordedAt: number;
  readonly programsHash: string;
  readonly forgottenBefore: number | null;
  readonly wrappedKey: Buffer;
  readonly profileMarks: StoredMarks | null;
}

/** What an intent says, and what would be sent for it by the programs file of now. */
export interface LoadedPlan extends IdentityPlace {
  /** As it was planned and corrected last; null: it was recorded without a call, and has none yet. */
  readonly current: PartnerCommand | null;
  /** What would be sent, the same or another. */
  readonly next: PartnerCommand;
}

interface PlanTools {
  readonly planner: EventPlanner;
  readonly keys: MemberKeys;
}

/** An intent as it is stored, with what has become of it, in version order. */
interface Stored {
  readonly row: PlanRow;
  readonly events: readonly LoadedEventRow[];
}

const nameOf = ({ laneId, seq }: IdentityPlace): string => placeKey(laneId, seq);

async function loadStored(
  database: Pick<Database, 'execute'>,
  places: readonly IdentityPlace[],
): Promise<readonly Stored[]> {
  if (places.length > loadCommandsMax) throw new RangeError(`at most ${loadCommandsMax} commands at once`);
  const parameters = [places.map(({ laneId }) => laneId), places.map(({ seq }) => seq)];
  const { rows } = await database.execute<PlanRow>(loadPlansStatement, parameters);
  const loaded = await loadEvents(database, rows);
  const events = Map.groupBy(loaded, ({ lane_id: laneId, seq }) => nameOf({ laneId, seq }));
  return rows.map((row) => ({ row, events: events.get(nameOf(row)) ?? [] }));
}

/** Null: it was recorded without a call, and has none yet. */
function planOf({ row, events }: Stored, keys: MemberKeys): Omit<StoredPlan, 'repeated'> | null {
  const { laneId, seq, payload, recordedAt, programsHash, wrappedKey, profileMarks } = row;
  const place = { laneId, seq, key: keys.learn(laneId, wrappedKey) };
  const correction = lastCorrectionIn(events);
  const current = correction === null ? openPayload(keys, place, payload) : openCorrection(keys, place, correction);
  if (current === null) return null;
  const isForgotten = row.forgottenBefore !== null;
  const folded = stateOf(row, events);
  const state = row.forgottenBefore === null ? folded : unknownInLostHistory(folded, row.forgottenBefore);
  const marks = profileMarks === null ? null : marksOf(profileMarks, null);
  return { place, payload, programsHash, recordedAt, corrections: events, state, isForgotten, current, marks };
}

function stateOf({ recordedAt }: PlanRow, events: readonly LoadedEventRow[]): IntentState {
  const recorded = evolve(initialIntentState, { type: 'IntentRecorded', at: recordedAt });
  return events.reduce((before, event) => evolve(before, toEvent(event)), recorded);
}

function open(stored: Stored, repeated: readonly RepeatedUpdate[], tools: PlanTools): LoadedPlan | null {
  const { row, events } = stored;
  const { laneId, seq, profileMarks } = row;
  const plan = planOf(stored, tools.keys);
  if (plan === null) {
    const marks = profileMarks === null ? null : marksOf(profileMarks, null);
    return openUnmapped({ ...row, marks }, stateOf(row, events), tools);
  }
  const { current } = plan;
  const next = planStored({ ...plan, repeated }, tools.planner, tools.keys)?.command ?? current;
  return { laneId, seq, current, next };
}

/** Null: no file maps a call yet. */
function openUnmapped(
  { laneId, seq, payload, wrappedKey, ...unmapped }: PlanRow & Pick<UnmappedIntent, 'marks'>,
  state: IntentState,
  { planner, keys }: PlanTools,
): LoadedPlan | null {
  if (!waitsForMapping(state)) return null;
  const record = openSourceEvent(keys, { laneId, seq, key: keys.learn(laneId, wrappedKey) }, payload);
  const next = planner.planUnmapped({ ...unmapped, record });
  return next === null ? null : { laneId, seq, current: null, next };
}

/**
 * How the cards were changed that these enrolments make anew, as it was said and as it is planned now, the newest first; by
 * the enrolment's place. Few cards are lost, and most of those were never changed.
 */
export async function loadRepeated(
  database: Pick<Database, 'execute'>,
  enrolments: readonly IdentityPlace[],
  { planner, keys }: PlanTools,
): Promise<ReadonlyMap<string, readonly RepeatedUpdate[]>> {
  if (enrolments.length === 0) return new Map();
  const found = (await findUpdates(database, enrolments)).filter(({ isTaken }) => isTaken);
  const updates = new Map<string, RepeatedUpdate>();
  for (let from = 0; from < found.length; from += loadCommandsMax) {
    for (const stored of await loadStored(database, found.slice(from, from + loadCommandsMax))) {
      const plan = unlessBroken(() => planOf(stored, keys));
      if (plan !== null) updates.set(nameOf(stored.row), planRepeated({ ...plan, repeated: [] }, planner, keys));
    }
  }
  const newestFirst = found.toSorted((one, other) => other.seq - one.seq);
  const byEnrolment = Map.groupBy(newestFirst, ({ laneId, enrolmentSeq: seq }) => nameOf({ laneId, seq }));
  return new Map(
    [...byEnrolment].map(([enrolment, all]) => [enrolment, all.flatMap((update) => updates.get(nameOf(update)) ?? [])]),
  );
}

/**
 * What the given intents say, those that say something and are not erased, as delivery would plan them, or a replay where they have no
 * call yet; in no order. Personal.
 */
export async function loadPlanned(
  database: Pick<Database, 'execute'>,
  places: readonly IdentityPlace[],
  tools: PlanTools,
): Promise<LoadedPlan[]> {
  const stored = await loadStored(database, places);
  const reissued = stored.filter(({ events }) => isReissued(events)).map(({ row }) => row);
  const repeated = await loadRepeated(database, reissued, tools);
  return stored.flatMap((one) => unlessBroken(() => open(one, repeated.get(nameOf(one.row)) ?? [], tools)) ?? []);
}
