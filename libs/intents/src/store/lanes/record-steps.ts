import type { HolderMove, IdentityPlace, IntentEvent, PassBefore, Renewal } from '#intents/core';
import type { Database, SqlParameter, SqlResult, SqlSession, SqlStatement } from '#platform';
import { booleanArray, int4Array, int8Array, jsonbArray } from '#platform';

import type { IngestKeys } from '../batch/recording.js';
import type { EventToAppend } from '../events/stored-event.js';
import { attemptOf, clearData, timestamp, timestamps } from '../events/stored-event.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { evidencePlace } from '../keys/member-keys.js';
import { isOfAttempt } from '../keys/seal-place.js';
import { isFenced } from '../ownership/ownership.js';
import { isMoving } from '../passes/forget-passes.js';
import { reissueAsked } from '../passes/reissue-pass.js';
import type { GotPass } from '../passes/release-missing.js';
import { releaseMissing } from '../passes/release-missing.js';
import { listLostCard } from '../passes/replaced-card.js';
import { recordRenewal } from '../passes/renew-pass.js';
import type { PassKnowledge } from './claimed-lane.js';
import { leaseKey, placeKey } from './claimed-lane.js';
import { lockLanes } from './lane-locks.js';
import { releaseAside, releaseRest } from './locked-lane.js';

/** What becomes of the lane's current intent. After `stay` with a begin the lease continues, else the lane is due at once. */
export type StepKind = HolderMove['kind'];

/** An outcome or a decision about the lane's current intent. */
export interface LaneCompletion {
  readonly kind: StepKind;
  /** Epoch ms; only read for `retry`, `doubt`, `wait` and `await`. */
  readonly dueAt: number;
  /** What is now known about the pass; null leaves it. */
  readonly pass: PassKnowledge | null;
  readonly events: readonly EventToAppend[];
  /** What is recorded with it, to go first: what an enrolment says of the pass that it has found. No begin goes along. */
  readonly renewal?: Renewal;
  /**
   * An enrolment has led to a pass, or a lookup has found one, and something may have parked for the lack of one: that is sent, before what is queued. No begin
   * goes along.
   */
  readonly gotPass?: Pick<GotPass, 'sendsKept'>;
  /** A sale is delivered that something stepped aside for: that goes on. No begin goes along. */
  readonly releasesAside?: true;
  /** It counts for its receipt no more: the void of the rest may go. */
  readonly releasesRest?: true;
  /** A card was made where an earlier one may have been: what that held is listed. No begin goes along. */
  readonly replacesCard?: true;
}

/** The next attempt, to be begun in the same statement. */
export interface LaneBegin {
  readonly seq: number;
  readonly attempt: number;
  /** What the pass showed right before; null when it was not asked for. */
  readonly before: PassBefore | null;
  readonly leaseUntil: number;
  /** Epoch ms: later than this it is refused, for the request could outlive the lease and must not be sent any more. */
  readonly sendBy: number;
}

/**
 * One compare-and-set on a leased lane: complete what is current, begin the next attempt, or both. It takes effect only
 * where (epoch, current seq, attempt) are as the lease holder knows them; for a begin, and for a completion without an
 * answer of the partner, the revision must be, too.
 */
export interface LaneStep {
  /** The member's unwrapped key, for sealing evidence; null when it has been destroyed. */
  readonly key: Uint8Array | null;
  readonly laneId: number;
  readonly epoch: number;
  readonly seq: number;
  readonly attempt: number;
  readonly attemptOpen: boolean;
  readonly revision: number;
  readonly completion: LaneCompletion | null;
  /** The completion carries the partner's answer: it is recorded whatever others have appended meanwhile. */
  readonly carriesAnswer: boolean;
  readonly begin: LaneBegin | null;
}

/** Neither: another replica holds the lane now or has appended to it, and nothing was written. */
export interface StepResult {
  readonly laneId: number;
  readonly epoch: number;
  readonly completed: boolean;
  readonly begun: boolean;
  /** When a lane comes due that was let go of, epoch ms; Infinity: nothing is left of it. */
  readonly dueAt: number;
}

/**
 * Group commit of many lanes' steps in one statement, hence in one transaction and one round trip.
 * Rows are locked in lane order: unordered multi-row updates deadlocked 70 times in 744 statements, ordered ones never
 * in 5,533 (measured).
 *
 * `seen` is the locked row beside what the lease holder believes; `moved` where the cursor would go; `judged` whether
 * completion and begin are granted, worked out once for each lane (inlined, each column that names it worked it out again: a third
 * more of Postgres for an intent, measured). An enrolment behind a waiting intent goes first (design.md section 5). A begin alone
 * moves nothing: what blocked the lane is tried first once it may be, before what was put back behind it meanwhile.
 *
 * A completion or a release ends the lease and clears the owner, so that a repeated step finds the lane no longer fit
 * even where nothing else has changed. What the partner answered counts whatever others have appended meanwhile; whatever
 * else the lease holder decided, it decided without having read that: refused, as a begin is. One answer is refused, too:
 * it would park an intent of which an earlier attempt was reported applied meanwhile, or that was voided; or it is a refusal
 * that would prove an attempt which was reported as answered otherwise than asked. It becomes a late outcome, which ends the lease: the next claim settles the intent. (A scalar subquery: it is only run where the revision has
 * risen, and by key.)
 *
 * A begin is written on the lane's row, and goes over to the first event that ends the attempt (decision 0016): one row for
 * each attempt, and `intent_history` shows both. What was begun and ends without an event keeps its begin as a row.
 */
const recordStepsStatement: SqlStatement = {
  name: 'record_lane_steps',
  text: `
WITH seen AS MATERIALIZED (
  SELECT r.*, l.program_id, l.revision AS now_revision, l.version, l.head_seq, l.tail_seq, l.cur_seq, l.redo, l.ahead,
    l.issue_seq, l.open_version, l.open_epoch, l.open_since, ${isMoving('l.program_id')} OR ${isFenced} AS is_moving,
    l.epoch = r.epoch AND l.owner IS NOT NULL AND l.cur_seq = r.seq AND l.cur_seq <= l.tail_seq AND l.attempt = r.attempt
      AND l.attempt_open = r.attempt_open AS fits,
    l.revision = r.revision OR r.carries_answer AND (NOT (r.parks OR r.is_refused_proof)
      OR (SELECT count(*) FROM intent_event e WHERE e.lane_id = r.lane_id AND e.seq = r.seq
        AND (r.parks AND (e.type = 'CancelRequested' OR e.type = 'LateOutcome' AND e.data->>'outcome' = 'applied')
          OR r.is_refused_proof AND e.type = 'LateOutcome' AND e.data->>'code' = 'answered-otherwise')) = 0)
      AS is_read
  FROM lane l
  JOIN unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::boolean[], $6::int[], $7::text[], $8::timestamptz[],
      $9::text[], $10::int[], $11::int[], $12::int[], $13::timestamptz[], $14::timestamptz[], $15::boolean[],
      $26::boolean[], $27::boolean[], $28::boolean[], $29::boolean[])
    AS r (lane_id, epoch, seq, attempt, attempt_open, revision, kind, due_at, pass, event_count, begin_seq,
      begin_attempt, lease_until, send_by, carries_answer, parks, begin_is_row, carries_begin, is_refused_proof) ON r.lane_id = l.lane_id
  ORDER BY l.lane_id
  FOR NO KEY UPDATE OF l
), moved AS (
  SELECT s.*,
    CASE WHEN kind = 'settle' THEN lane_settled_head(head_seq, seq, ahead) ELSE head_seq END AS new_head,
    CASE WHEN kind = 'settle' THEN lane_settled_ahead(head_seq, seq, ahead) ELSE ahead END AS new_ahead,
    CASE WHEN kind = 'settle' THEN lane_settled_redo(seq, redo)
      WHEN overtakes THEN array_prepend(issue_seq, redo) ELSE redo END AS new_redo
  FROM (SELECT *, COALESCE(kind = 'wait' AND lane_overtakes(issue_seq, seq, head_seq, redo, ahead), false) AS overtakes FROM seen) s
), judged AS MATERIALIZED (
  SELECT *,
    fits AND kind IS NOT NULL AND is_read AS completed,
    COALESCE(fits AND now_revision = revision AND begin_seq = new_cur AND begin_seq <= tail_seq
      AND send_by >= $16::timestamptz AND (kind IS NULL OR kind IN ('settle', 'stay')) AND NOT m.is_moving,
      false) AS begun
  FROM (SELECT *, CASE WHEN kind IS NULL OR kind = 'block' THEN seq ELSE COALESCE(new_redo[1], new_head) END AS new_cur
    FROM moved) m
), granted AS (
  UPDATE lane SET
    head_seq = j.new_head,
    ahead = j.new_ahead,
    redo = j.new_redo,
    cur_seq = j.new_cur,
    attempt = CASE WHEN j.begun THEN j.begin_attempt WHEN j.new_cur = j.seq AND j.kind <> 'settle' THEN j.attempt
      ELSE 0 END,
    attempt_open = j.begun,
    open_since = CASE WHEN j.begun THEN $16::timestamptz END,
    open_version = CASE WHEN j.begun AND NOT j.begin_is_row
      THEN lane.version + 1 + CASE WHEN j.completed THEN j.event_count ELSE 0 END END,
    open_epoch = CASE WHEN j.begun THEN j.epoch END,
    due_at = CASE
      WHEN j.begun THEN j.lease_until
      WHEN j.kind = 'block' THEN NULL
      WHEN j.new_cur > j.tail_seq THEN NULL
      WHEN j.kind IN ('retry', 'doubt', 'wait', 'await') AND j.new_cur = j.seq THEN j.due_at
      ELSE $16::timestamptz END,
    owner = CASE WHEN j.begun THEN lane.owner END,
    state = CASE WHEN j.kind = 'block' THEN 'blocked' WHEN j.begun OR j.kind IN ('settle', 'doubt') OR j.overtakes THEN 'live'
      WHEN j.kind IN ('wait', 'await') THEN 'waiting' ELSE lane.state END,
    pass = COALESCE(j.pass, lane.pass),
    revision = lane.revision + CASE WHEN j.overtakes THEN 1 ELSE 0 END,
    version = lane.version + CASE WHEN j.completed THEN j.event_count ELSE 0 END + CASE WHEN j.begun THEN 1 ELSE 0 END
  FROM judged j
  WHERE lane.lane_id = j.lane_id AND (j.completed OR j.begun)
  RETURNING lane.lane_id, j.epoch, j.version AS old_version, lane.version AS new_version, j.completed, j.begun,
    j.seq, j.attempt, j.carries_begin, CASE WHEN NOT j.begun THEN lane.due_at END AS due_at,
    CASE WHEN j.attempt_open THEN j.open_version END AS open_version, j.open_epoch, j.open_since
), appended AS (
  INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data, sealed, begun_version, begun_epoch,
    begun_at)
  SELECT e.lane_id, e.seq, CASE WHEN e.ordinal = 0 THEN g.new_version ELSE g.old_version + e.ordinal END, e.attempt,
    e.epoch, e.type, e.at, e.data, e.sealed,
    CASE WHEN e.ordinal = 1 AND g.carries_begin THEN g.open_version END,
    CASE WHEN e.ordinal = 1 AND g.carries_begin AND g.open_version IS NOT NULL THEN g.open_epoch END,
    CASE WHEN e.ordinal = 1 AND g.carries_begin AND g.open_version IS NOT NULL THEN g.open_since END
  FROM unnest($17::bigint[], $18::int[], $19::int[], $20::int[], $21::int[], $22::text[], $23::timestamptz[],
      $24::jsonb[], $25::bytea[]) AS e (lane_id, ordinal, seq, attempt, epoch, type, at, data, sealed)
  JOIN granted g ON g.lane_id = e.lane_id AND g.epoch = e.epoch
  WHERE CASE WHEN e.ordinal = 0 THEN g.begun ELSE g.completed END
), kept AS (
  INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at)
  SELECT lane_id, seq, open_version, attempt, open_epoch, 'AttemptBegun', open_since FROM granted
  WHERE completed AND open_version IS NOT NULL AND NOT carries_begin
)
SELECT lane_id, epoch, completed, begun, due_at FROM granted`,
};

export const findOwnStepsStatement: SqlStatement = {
  name: 'find_own_steps',
  text: `
SELECT DISTINCT w.lane_id, w.epoch, w.is_begin
FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::text[], $6::boolean[])
  AS w (lane_id, seq, attempt, epoch, type, is_begin)
CROSS JOIN LATERAL (SELECT FROM intent_history h WHERE h.lane_id = w.lane_id AND h.seq = w.seq AND h.attempt = w.attempt
  AND h.epoch = w.epoch AND h.type = w.type OFFSET 0) e`,
};

interface Mark {
  readonly laneId: number;
  readonly seq: number;
  readonly attempt: number;
  readonly epoch: number;
  readonly type: string;
  readonly isBegin: boolean;
}

function marksOf(step: LaneStep): Mark[] {
  const { laneId, epoch } = step;
  const first = step.completion?.events[0];
  const marks: Mark[] = [];
  if (first !== undefined) {
    const { seq, event } = first;
    marks.push({ laneId, seq, attempt: attemptOf(event), epoch, type: event.type, isBegin: false });
  }
  if (step.begin !== null) {
    const { seq, attempt } = step.begin;
    marks.push({ laneId, seq, attempt, epoch, type: 'AttemptBegun', isBegin: true });
  }
  return marks;
}

/**
 * Which of these steps a lost call had committed after all, by their own events: (seq, attempt, epoch, type) is ours
 * alone, because the epoch is. Without this a lost COMMIT acknowledgement would look like being fenced and leave a
 * false late outcome.
 */
async function findOwnSteps(database: Database, steps: readonly LaneStep[]): Promise<Map<number, StepResult>> {
  const marks = steps.flatMap(marksOf);
  const { rows } = await database.execute<{ lane_id: number; epoch: number; is_begin: boolean }>(
    findOwnStepsStatement,
    [
      int8Array(marks.map((mark) => mark.laneId)),
      int4Array(marks.map((mark) => mark.seq)),
      int4Array(marks.map((mark) => mark.attempt)),
      int4Array(marks.map((mark) => mark.epoch)),
      marks.map((mark) => mark.type),
      booleanArray(marks.map((mark) => mark.isBegin)),
    ],
  );
  const found = new Map<number, StepResult>();
  for (const row of rows) {
    const lease = { laneId: row.lane_id, epoch: row.epoch };
    // What has become of the lane since is not looked for: it may be due.
    const known = found.get(leaseKey(lease)) ?? { ...lease, completed: false, begun: false, dueAt: 0 };
    found.set(leaseKey(lease), row.is_begin ? { ...known, begun: true } : { ...known, completed: true });
  }
  for (const step of steps) {
    const known = found.get(leaseKey(step));
    // A completion may have no event of its own; it was granted if the begin merged with it was.
    if (known?.begun && step.completion !== null) found.set(leaseKey(step), { ...known, completed: true });
  }
  return found;
}

/** Seals what is appended, and names the paths of profiles. */
export type StepKeys = Pick<IngestKeys, 'members' | 'mac'>;

interface RecordStepsRequest {
  readonly steps: readonly LaneStep[];
  readonly now: number;
  /** An earlier call with the same steps failed without an answer: it may have been committed. */
  readonly isRetry: boolean;
}

interface StepRow {
  readonly lane_id: number;
  readonly epoch: number;
  readonly completed: boolean;
  readonly begun: boolean;
  readonly due_at: number | null;
}

function fencedResult({ laneId, epoch }: LaneStep): StepResult {
  return { laneId, epoch, completed: false, begun: false, dueAt: 0 };
}

interface EventLine {
  readonly step: LaneStep;
  /** 0 is the begin, 1.. the completion's events in order. */
  readonly ordinal: number;
  readonly item: EventToAppend;
}

/** What was read before an attempt has no place on the lane: the begin is an event of its own then. */
function isRow(begin: LaneBegin | null): begin is LaneBegin & { readonly before: PassBefore } {
  return begin !== null && begin.before !== null;
}

function eventLines(step: LaneStep, now: number): EventLine[] {
  const completion = (step.completion?.events ?? []).map((item, index) => ({ step, ordinal: index + 1, item }));
  if (!isRow(step.begin)) return completion;
  const { attempt, before } = step.begin;
  const event: IntentEvent = { type: 'AttemptBegun', at: now, attempt, before };
  return [...completion, { step, ordinal: 0, item: { seq: step.begin.seq, event, evidence: null } }];
}

function stepColumns(steps: readonly LaneStep[]): SqlParameter[] {
  return [
    int8Array(steps.map((step) => step.laneId)),
    int4Array(steps.map((step) => step.epoch)),
    int4Array(steps.map((step) => step.seq)),
    int4Array(steps.map((step) => step.attempt)),
    booleanArray(steps.map((step) => step.attemptOpen)),
    int4Array(steps.map((step) => step.revision)),
    steps.map((step) => step.completion?.kind ?? null),
    timestamps(steps.map((step) => step.completion?.dueAt ?? null)),
    steps.map((step) => step.completion?.pass ?? null),
    int4Array(steps.map((step) => step.completion?.events.length ?? 0)),
    int4Array(steps.map((step) => step.begin?.seq ?? null)),
    int4Array(steps.map((step) => step.begin?.attempt ?? null)),
    timestamps(steps.map((step) => step.begin?.leaseUntil ?? null)),
    timestamps(steps.map((step) => step.begin?.sendBy ?? null)),
    booleanArray(steps.map((step) => step.carriesAnswer)),
  ];
}

/** Versions of locked lanes; none where no lane is locked. */
type LaneVersions = ReadonlyMap<number, number>;

/** Whether what a step seals is bound to its version, so that its lane must be locked before. */
function sealsByVersion(step: LaneStep): boolean {
  const events = step.key === null ? [] : (step.completion?.events ?? []);
  return events.some(
    ({ event, evidence }) => evidence !== null && !isOfAttempt({ type: event.type, attempt: attemptOf(event) }),
  );
}

function sealedLine({ step, ordinal, item }: EventLine, versions: LaneVersions, keys: MemberKeys): Buffer | null {
  const { laneId, epoch, key } = step;
  const { seq, event, evidence } = item;
  if (evidence === null || key === null) return null;
  const attempt = attemptOf(event);
  const version = (versions.get(laneId) ?? 0) + ordinal;
  return keys.sealFor(evidencePlace({ laneId, seq, type: event.type, attempt, epoch, version, key }), evidence);
}

function eventColumns(lines: readonly EventLine[], versions: LaneVersions, keys: MemberKeys): SqlParameter[] {
  return [
    int8Array(lines.map((line) => line.step.laneId)),
    int4Array(lines.map((line) => line.ordinal)),
    int4Array(lines.map((line) => line.item.seq)),
    int4Array(lines.map((line) => attemptOf(line.item.event))),
    int4Array(lines.map((line) => line.step.epoch)),
    lines.map((line) => line.item.event.type),
    timestamps(lines.map((line) => line.item.event.at)),
    jsonbArray(lines.map((line) => clearData(line.item.event))),
    lines.map((line) => sealedLine(line, versions, keys)),
  ];
}

/**
 * Completes and begins attempts of leased lanes, all in one transaction. At most one step per lane and lease.
 * A step whose lane has another epoch, current seq or attempt is fenced: neither completed nor begun, nothing written.
 * @throws {DatabaseError} `unavailable` may mean that the commit's acknowledgement was lost: repeat with `isRetry`.
 */
export async function recordSteps(
  database: Database,
  request: RecordStepsRequest,
  keys: StepKeys,
): Promise<StepResult[]> {
  const { steps, isRetry } = request;
  const done = isRetry ? await findOwnSteps(database, steps) : new Map<number, StepResult>();
  await execute(database, { ...request, steps: withoutResult(steps, done), done }, keys);
  const fenced = withoutResult(steps, done);
  if (isRetry && fenced.length > 0) {
    // The first call may have been running still, with the rows locked: then it was what fenced this one.
    for (const [key, result] of await findOwnSteps(database, fenced)) done.set(key, result);
  }
  return steps.map((step) => done.get(leaseKey(step)) ?? fencedResult(step));
}

function withoutResult(steps: readonly LaneStep[], done: ReadonlyMap<number, StepResult>): LaneStep[] {
  return steps.filter((step) => !done.has(leaseKey(step)));
}

interface Execution extends Omit<RecordStepsRequest, 'isRetry'> {
  readonly done: Map<number, StepResult>;
}

async function execute(database: Database, execution: Execution, keys: StepKeys): Promise<void> {
  const { steps, done } = execution;
  if (steps.length === 0) return;
  const { rows } = await write(database, execution, keys);
  const renewed = new Set(steps.filter(recordsMore).map(leaseKey));
  for (const { lane_id: laneId, epoch, completed, begun, due_at: dueAt } of rows) {
    const key = leaseKey({ laneId, epoch });
    done.set(key, { laneId, epoch, completed, begun, dueAt: renewed.has(key) ? 0 : (dueAt ?? Infinity) });
  }
}

/**
 * It records a renewal, lists what a lost card held, sends what parked for the lack of a pass or of its sale, or may have its
 * member's enrolment opened again: a pass was found to be gone.
 */
function recordsMore({ completion }: LaneStep): boolean {
  const { renewal, gotPass, releasesAside, releasesRest, replacesCard } = completion ?? {};
  const isMore = [renewal, gotPass, releasesAside, releasesRest, replacesCard].some((more) => more !== undefined);
  return isMore || beginsToWait(completion);
}

function gotPass({ laneId, completion }: LaneStep): GotPass[] {
  return completion?.gotPass === undefined ? [] : [{ laneId, ...completion.gotPass }];
}

function beginsToWait(completion: LaneCompletion | null): boolean {
  return completion?.kind === 'wait' && completion.events.length > 0;
}

/** One statement; with what renewals and reissues record, or behind another lane's intent, where there is any, one transaction. */
function write(database: Database, execution: Execution, keys: StepKeys): Promise<SqlResult<StepRow>> {
  const { steps: all, now } = execution;
  if (!all.some((step) => recordsMore(step) || awaitedElsewhere(step) !== null || sealsByVersion(step))) {
    return database.execute<StepRow>(recordStepsStatement, parametersOf({ steps: all, now }, keys.members));
  }
  return database.transaction('record_lane_steps', async (session) => {
    const steps = await withoutReleased(session, all);
    const versions = await versionsOf(session, steps);
    const parameters = parametersOf({ steps, now }, keys.members, versions);
    const result = await session.query<StepRow>(recordStepsStatement, parameters);
    const completed = new Set(
      result.rows.flatMap(({ lane_id: laneId, epoch, ...row }) => (row.completed ? [leaseKey({ laneId, epoch })] : [])),
    );
    const done = steps.filter((each) => completed.has(leaseKey(each)));
    const laneIds = done.filter(({ completion }) => beginsToWait(completion)).map(({ laneId }) => laneId);
    if (laneIds.length > 0) await reissueAsked(session, { laneIds, now }, keys.members);
    for (const step of done) {
      const { renewal, replacesCard } = step.completion ?? {};
      if (replacesCard === true) await listLostCard(session, { of: step, now }, keys.members);
      if (renewal !== undefined) await recordRenewal(session, { of: step, renewal, now }, keys);
    }
    await releaseMissing(session, { members: done.flatMap(gotPass), now }, keys.members);
    await releaseReceipts(session, { done, now }, keys.members);
    return result;
  });
}

/** What goes on with the receipts of what has come to its end. */
async function releaseReceipts(
  session: SqlSession,
  { done, now }: { readonly done: readonly LaneStep[]; readonly now: number },
  keys: MemberKeys,
): Promise<void> {
  for (const { laneId, seq, completion } of done) {
    const place = { laneId, seq };
    if (completion?.releasesAside) await releaseAside(session, { place, isCancelled: false, now }, keys);
    if (completion?.releasesRest) await releaseRest(session, { place, at: now }, keys);
  }
}

/** Locks the lanes whose versions are needed beforehand, all of them, in their order. */
async function versionsOf(session: SqlSession, steps: readonly LaneStep[]): Promise<LaneVersions> {
  if (!steps.some(sealsByVersion)) return new Map();
  return lockLanes(
    session,
    steps.map(({ laneId }) => laneId),
  );
}

/** The parked intent of another lane behind which a step parks; null: none. In its own lane the revision shows it. */
function awaitedElsewhere({ laneId, completion }: LaneStep): IdentityPlace | null {
  const parks = completion?.events.findLast(({ event }) => event.type === 'IntentParked')?.event;
  const { awaits = null } = parks?.type === 'IntentParked' ? parks : {};
  return awaits === null || awaits.laneId === laneId ? null : awaits;
}

const findStillParkedStatement: SqlStatement = {
  name: 'find_still_parked',
  text: `
SELECT s.lane_id, s.seq FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, seq)
JOIN intent_standing s ON s.lane_id = w.lane_id AND s.seq = w.seq AND s.status = 'parked'`,
};

/**
 * Without what would park behind an intent that has been decided on since: nothing would send it again. The decision locks
 * that intent's lane, too, and so finds what has parked behind it. All lanes at once and in order, as everywhere.
 */
async function withoutReleased(session: SqlSession, steps: readonly LaneStep[]): Promise<readonly LaneStep[]> {
  const places = steps.flatMap((step) => awaitedElsewhere(step) ?? []);
  if (places.length === 0) return steps;
  await lockLanes(
    session,
    [...steps, ...places].map(({ laneId }) => laneId),
  );
  const { rows } = await session.query<{ lane_id: number; seq: number }>(findStillParkedStatement, [
    int8Array(places.map(({ laneId }) => laneId)),
    int4Array(places.map(({ seq }) => seq)),
  ]);
  const parked = new Set(rows.map(({ lane_id: laneId, seq }) => placeKey(laneId, seq)));
  return steps.filter((step) => {
    const awaited = awaitedElsewhere(step);
    return awaited === null || parked.has(placeKey(awaited.laneId, awaited.seq));
  });
}

/** Whether the first event is of the attempt under way, whose begin it then carries. */
function carriesBegin({ seq, attempt, completion }: LaneStep): boolean {
  const first = completion?.events[0];
  return first?.seq === seq && attemptOf(first.event) === attempt;
}

function parametersOf(
  { steps, now }: Pick<Execution, 'steps' | 'now'>,
  keys: MemberKeys,
  versions: LaneVersions = new Map(),
): SqlParameter[] {
  const lines = steps.flatMap((step) => eventLines(step, now));
  const having = (fits: (event: IntentEvent) => boolean): boolean[] =>
    steps.map(({ completion }) => completion?.events.some(({ event }) => fits(event)) ?? false);
  const parks = having(({ type }) => type === 'IntentParked');
  const refusedProofs = having((event) => event.type === 'VerifiedApplied' && event.evidence === 'duplicate-refusal');
  return [
    ...stepColumns(steps),
    timestamp(now),
    ...eventColumns(lines, versions, keys),
    booleanArray(parks),
    booleanArray(steps.map(({ begin }) => isRow(begin))),
    booleanArray(steps.map(carriesBegin)),
    booleanArray(refusedProofs),
  ];
}
