import type { IdentityPlace, IntentEvent } from '#intents/core';
import { groupOf, needsPass, retryAfterMsMax } from '#intents/core';

import type { DedupRow, EventRow, IntentRow, PartnerRequest, ProgramPolicy, RunHistory } from '../history.js';
import type { IntentView, LaneView, Step } from '../lane/lane-view.js';
import { stateBefore } from '../lane/lane-view.js';
import type { IntentState } from '../lane/intent-state.js';
import { triedSince } from '../lane/intent-state.js';
import type { WayOut } from '../lane/way-out.js';
import { wayLeft, wayOut } from '../lane/way-out.js';
import type { Finding, Invariant, Judge } from './invariant.js';
import { atTheEnd, ofTheRun, whenItHappened } from './invariant.js';

/** I24: the programs file is obeyed. */
export const policiesObeyed: Invariant = {
  id: 'I24',
  checks:
    'evidence and resends are those that the operation and its policy allow; parking blocks or lets go as onPark says, and a blocked lane begins nothing else; tries and waiting keep their bounds; a refund goes after its purchase, also where it knows only its key, parks when its wait is over, and comes back with the parked one that it parked behind; only a sale, refund or reward of which nothing is in doubt steps aside for a hold, where onPark does not say block; what spends points goes after the sales before it that did; what was answered a success that proves nothing is not sent again by policy where it could take effect twice; exhausted never hides an unknown',
  cannotSee: 'files that changed during the run; pauses and their times; replayShare',
  elsewhere: ['libs/intents/src/core/intent/decide.unit.spec.ts', 'libs/outbox/src/gate/program-pauses.unit.spec.ts'],
  judge: (run) => new PolicyJudge(run),
};

class PolicyJudge implements Judge {
  private readonly returns: KeyedReturn[] = [];
  private readonly ends = new Map<string, PurchaseEnd>();
  /** What a void disagreed with: its mark may have come before it. */
  private readonly contested = new Set<string>();
  /** When each was recorded, of what others may wait for. */
  private readonly recordedAt = new Map<string, number>();
  /** When each was parked first. */
  private readonly parkedAt = new Map<string, number>();
  /** What a person has still to decide on, or has given up. */
  private readonly undecided = new Set<string>();
  private readonly behind: (KeyedReturn & { readonly awaits: IdentityPlace })[] = [];

  constructor(private readonly run: RunHistory) {}

  *lane(view: LaneView): Iterable<Finding> {
    yield* judgeLane(view);
    for (const intent of view.intents.values()) {
      const { row } = intent;
      if ((row.waitsForKey ?? null) !== null) this.returns.push({ view, intent });
      const end = needsPass(row.operation) ? purchaseEnd(intent) : null;
      const name = `${view.history.lane.laneId}/${row.seq}`;
      if (needsPass(row.operation)) this.recordedAt.set(name, row.recordedAt);
      if (end !== null) this.ends.set(name, end);
      if (intent.steps.some(isContested)) this.contested.add(name);
      this.hearOfParks(view, intent, name);
    }
  }

  private hearOfParks(view: LaneView, intent: IntentView, name: string): void {
    const { steps, state } = intent;
    const park = steps.find(({ row }) => row.event.type === 'IntentParked');
    if (park !== undefined) this.parkedAt.set(name, park.row.event.at);
    if (state.status === 'parked' || state.status === 'cancelled') this.undecided.add(name);
    const awaits = parkedBehind(intent);
    if (awaits !== null) this.behind.push({ view, intent, awaits });
  }

  /** The purchase may be another member's: all lanes must have been heard. */
  *end(): Iterable<Finding> {
    yield* this.judgeReturns();
    for (const { view, intent, awaits } of this.behind) {
      if (this.undecided.has(`${awaits.laneId}/${awaits.seq}`)) continue;
      yield atTheEnd(view, 'parked behind what is parked no longer', [intent.row, awaits]);
    }
  }

  private awaited(row: DedupRow | null, name: string): Awaited {
    const of = (times: ReadonlyMap<string, number>): number | null => times.get(name) ?? null;
    const isContested = this.contested.has(name);
    const end = this.ends.get(name) ?? null;
    return { row, end, isContested, recordedAt: of(this.recordedAt), parkedAt: of(this.parkedAt) };
  }

  private *judgeReturns(): Iterable<Finding> {
    const keys = new Set(this.returns.map(({ intent }) => intent.row.waitsForKey));
    const awaited = new Map([...this.run.dedup].flatMap((row) => (keys.has(row.key) ? [[row.key, row] as const] : [])));
    for (const { view, intent } of this.returns) {
      const row = awaited.get(intent.row.waitsForKey ?? '') ?? null;
      const name = `${row?.laneId ?? ''}/${row?.seq ?? ''}`;
      yield* judgeReturn(view, intent, this.awaited(row, name));
    }
  }
}

function* judgeLane(view: LaneView): Iterable<Finding> {
  for (const intent of view.intents.values()) {
    for (const step of intent.steps) {
      const problem = problemOf(view, intent, step);
      if (problem !== null) yield whenItHappened(view, step.row, { problem });
    }
  }
  yield* judgeBlocks(view);
}

function problemOf(view: LaneView, intent: IntentView, step: Step): string | null {
  const { event } = step.row;
  if (event.type === 'IntentParked') return problemOfPark(view, intent, { event, before: step.before });
  if (event.type === 'AttemptBegun') return problemOfBegin(view, intent, step);
  const way = wayOf(view, intent);
  if (event.type === 'ResendDecided' && basisWays[event.basis] !== way) {
    return `sent again by ${event.basis}, which is not allowed`;
  }
  return 'evidence' in event ? problemOfEvidence(event, way) : null;
}

function wayOf({ policy }: LaneView, { row }: IntentView): WayOut {
  return wayOut(row.operation, row.asks, policy);
}

const basisWays: Readonly<Record<string, WayOut>> = { 'unique-attribute': 'resend-unique', policy: 'resend' };

/** Evidence that only one way may use; a late outcome and a duplicate may settle any. */
const evidenceWays: Readonly<Record<string, readonly WayOut[]>> = {
  'as-wanted': ['probe-content'],
  points: ['probe-points'],
};

function problemOfEvidence({ evidence }: { readonly evidence: string }, way: WayOut): string | null {
  const ways = evidenceWays[evidence];
  return ways === undefined || ways.includes(way) ? null : `settled by ${evidence}, though its way is ${way}`;
}

type Parked = Extract<IntentEvent, { type: 'IntentParked' }>;

/** Nothing was tried, or it comes back by itself: whatever the file says, the lane goes on. */
const neverBlocks: readonly string[] = [
  'unroutable',
  'merged',
  'card-replaced',
  'not-delivered',
  'conflict',
  'over-refund',
  'erased',
  'held',
];

type OfPark = Pick<Parked, 'reason'>;

/** What needs a pass, of a member who has left, is parked as it is recorded; what changes one waits for it first. */
const isOfWhoLeft = ({ operation }: IntentRow, { reason }: OfPark): boolean =>
  reason === 'not-a-member' && needsPass(operation);

const mayHold = (row: IntentRow, event: OfPark): boolean =>
  !neverBlocks.includes(event.reason) && !isOfWhoLeft(row, event);

const missesPass = (row: IntentRow, event: OfPark): boolean =>
  ['missing-pass', 'not-a-member'].includes(event.reason) && !isOfWhoLeft(row, event);

interface Park {
  readonly event: Parked;
  readonly before: IntentState;
}

function problemOfPark(view: LaneView, intent: IntentView, park: Park): string | null {
  const { policy } = view;
  const { row } = intent;
  const { event } = park;
  const wanted = mayHold(row, event) ? policy.onPark[groupOf(row.operation)] : 'continue';
  if (event.lane !== wanted && !mayLetGo(intent, event) && !isOfErased(view, intent, event)) {
    return `parked with ${event.lane}, the programs file says ${wanted}`;
  }
  const isWaitOver = event.at >= row.recordedAt + policy.missingPass.waitMs;
  if (missesPass(row, event) && !isWaitOver) return 'parked for a missing pass before the wait was over';
  if (event.reason === 'held') return problemOfHeld(view, row, park);
  return event.reason === 'exhausted' ? problemOfExhausted(policy, row, park) : null;
}

function problemOfExhausted(policy: ProgramPolicy, row: IntentRow, park: Park): string | null {
  if (park.before.hadUnknown) return 'parked as exhausted, though an outcome was unknown';
  return isExhausted(policy, row, park) ? null : 'parked as exhausted with tries and time left';
}

/** What changes the pass, or consent, is passed by nothing, nor is what may have taken effect. */
function problemOfHeld({ policy }: LaneView, { operation }: IntentRow, { event, before }: Park): string | null {
  if (!needsPass(operation)) return `${operation} stepped aside`;
  if (before.doubts.length > 0) return 'stepped aside while in doubt';
  const [isBehind, isHeld] = [event.awaits !== undefined, event.heldBy !== undefined];
  if (isBehind === isHeld) return 'stepped aside for nothing, or for two';
  const blocks = isHeld && policy.onPark[groupOf(operation)] === 'block';
  return blocks ? 'stepped aside, though the programs file says block' : null;
}

/** An attempt whose worker was lost and whose member was erased meanwhile must not hold up the opt-out behind it. */
function isOfErased({ history }: LaneView, { row, steps }: IntentView, event: Parked): boolean {
  if (event.reason !== 'unknown-outcome' || event.lane !== 'continue') return false;
  const isLost = steps.some(({ row: { event: told } }) => isLostAttempt(told) && told.at === event.at);
  return isLost && row.seq <= (history.lane.erasedSeq ?? 0);
}

const isLostAttempt = (event: IntentEvent): boolean =>
  event.type === 'AttemptUnknown' && (event.code === 'worker-lost' || event.code === 'forgotten');

/** What its own purchase lies behind cannot hold that back, also where a restore has left it in doubt. */
function mayLetGo({ row, steps }: IntentView, event: Parked): boolean {
  const isInDoubt = event.reason === 'unknown-outcome' && awaitsPurchase(row) && steps.some(tellsOfRestore);
  return (event.reason === 'missing-purchase' || isInDoubt) && event.lane === 'continue';
}

function isExhausted({ retries }: ProgramPolicy, { recordedAt }: IntentRow, { event, before }: Park): boolean {
  const ageMs = event.at - triedSince(recordedAt, before);
  return before.tries >= retries.maxAttempts || ageMs + longestDelayMs > retries.maxAgeMs;
}

/** A retry that would come after the maximum age is not waited for. */
const longestDelayMs = 600_000;

function problemOfBegin(view: LaneView, { row, steps }: IntentView, { row: begin, before }: Step): string | null {
  if (before.isVoided && !isForgotten(steps, begin)) return 'begun after it was voided';
  if (before.tries - before.lateNos >= view.policy.retries.maxAttempts && before.status !== 'delivering') {
    return `begun after ${before.tries} tries`;
  }
  if (isBegunInSpite(view, row, before)) return 'sent again after a success that proved nothing';
  return isForgotten(steps, begin) ? null : problemOfPassing(view, row, begin);
}

/** What it goes after was not there yet. */
function problemOfPassing(view: LaneView, row: IntentRow, begin: EventRow): string | null {
  const passed = spendsPoints(view, row) ? heldBefore(view, row, begin) : undefined;
  if (passed !== undefined) return `spends points, and passed the sale ${passed.row.seq}, which stepped aside`;
  if (row.waitsFor === null) return null;
  const purchase = view.intents.get(row.waitsFor);
  const isDelivered = purchase === undefined || stateBefore(purchase, begin.version).status === 'delivered';
  return isDelivered ? null : `begun before its purchase ${row.waitsFor} was delivered`;
}

/** As the programs file says, or else by what it takes. */
function spendsPoints({ policy: { rewards } }: LaneView, { operation, asks }: IntentRow): boolean {
  const mapping = operation === 'reward' ? Object.values(rewards).find(({ id }) => id === asks?.target) : undefined;
  return mapping !== undefined && (mapping.spendsPoints ?? (mapping.pointsDelta ?? 0) < 0);
}

function heldBefore({ intents }: LaneView, { seq }: IntentRow, begin: EventRow): IntentView | undefined {
  return [...intents.values()].find((sale) => {
    if (sale.row.seq >= seq || sale.row.operation !== 'transaction') return false;
    return (
      stateBefore(sale, begin.version).park?.reason === 'held' && stateBefore(sale, begin.version).status === 'parked'
    );
  });
}

const awaitsPurchase = ({ waitsFor, waitsForKey }: IntentRow): boolean =>
  waitsFor !== null || (waitsForKey ?? null) !== null;

const tellsOfRestore = ({ row: { event } }: Step): boolean =>
  event.type === 'AttemptUnknown' && event.code === 'forgotten';

/** Nobody we know has begun it: a history that a restore has lost may have. */
function isForgotten(steps: readonly Step[], { event: begin, version: begunAs }: EventRow): boolean {
  return steps.some((step) => {
    const { event, version } = step.row;
    const isLater = version > begunAs && event.type === 'AttemptUnknown' && begin.type === 'AttemptBegun';
    return isLater && event.attempt === begin.attempt && tellsOfRestore(step);
  });
}

/** No person has decided so since it was told. */
function isBegunInSpite({ policy }: LaneView, row: IntentRow, before: IntentState): boolean {
  return before.unprovenAt !== null && wayLeft(row, policy, before) !== wayOut(row.operation, row.asks, policy);
}

interface KeyedReturn {
  readonly view: LaneView;
  readonly intent: IntentView;
}

/** How a purchase or a grant came to its end, and when. */
interface PurchaseEnd {
  readonly status: 'delivered' | 'cancelled';
  readonly at: number;
}

function purchaseEnd({ steps, state }: IntentView): PurchaseEnd | null {
  const afterwards = [...steps.slice(1).map(({ before }) => before), state];
  for (const [index, { status }] of afterwards.entries()) {
    const at = steps[index]?.row.event.at;
    if ((status === 'delivered' || status === 'cancelled') && at !== undefined) return { status, at };
  }
  return null;
}

/** What stands under the key that a return waits for. */
interface Awaited {
  /** Null: nobody has told it. */
  readonly row: DedupRow | null;
  /** Null: it has not come to its end. */
  readonly end: PurchaseEnd | null;
  readonly isContested: boolean;
  /** Null: it is not there. */
  readonly recordedAt: number | null;
  /** When it was parked first; null: it never was. */
  readonly parkedAt: number | null;
}

/** What an intent is parked behind, as it stands; null: behind none. */
function parkedBehind({ steps, state }: IntentView): IdentityPlace | null {
  const park = steps.map(({ row }) => row.event).findLast((event) => event.type === 'IntentParked');
  return state.status === 'parked' ? (park?.awaits ?? null) : null;
}

const isContested = ({ row: { event } }: Step): boolean => event.type === 'IntentParked' && event.reason === 'conflict';

function* judgeReturn(view: LaneView, intent: IntentView, awaited: Awaited): Iterable<Finding> {
  for (const { row } of intent.steps) {
    const { event } = row;
    const rows = [intent.row, awaited];
    const isOurs = event.type === 'AttemptBegun' && !isForgotten(intent.steps, row);
    const isTooSoon =
      !isDelivered(awaited, event.at + view.notes.clockToleranceMs) && !isPostedAlone(view, intent, row);
    if (isOurs && isTooSoon) {
      yield whenItHappened(view, row, {
        problem: 'begun before the purchase of the key it waits for was delivered',
        rows,
      });
    }
    if (
      event.type === 'IntentParked' &&
      event.reason === 'missing-purchase' &&
      isTooEarly(view, intent, { event, awaited })
    ) {
      yield whenItHappened(view, row, { problem: 'parked for a missing purchase before the wait was over', rows });
    }
  }
}

/** By when its sale was known only the judge can say, who knows what was told when. */
function isPostedAlone({ policy }: LaneView, { row }: IntentView, { event }: EventRow): boolean {
  const { refundUnknown, missingPurchase } = policy;
  return refundUnknown === 'post' && event.at >= row.recordedAt + missingPurchase.waitMs;
}

function isDelivered({ end }: Awaited, by: number): boolean {
  return end?.status === 'delivered' && end.at <= by;
}

/**
 * What is cancelled or marked never comes, nor does what lies behind its return, nor another member's sale that was told after it: a
 * person must look at that. None of them is waited for.
 */
function neverComes(awaited: Awaited, waiting: WaitingReturn): boolean {
  const { row, end, isContested: mayHaveBeenMarked } = awaited;
  const isOver = mayHaveBeenMarked || end?.status === 'cancelled';
  return isOver || (row !== null && (row.kind === 'mark' || isPassed({ ...awaited, row }, waiting)));
}

function isPassed({ row, recordedAt }: Awaited & { readonly row: DedupRow }, waiting: WaitingReturn): boolean {
  if (row.laneId === waiting.laneId) return (row.seq ?? 0) > waiting.seq;
  return (recordedAt ?? 0) >= waiting.recordedAt;
}

interface WaitingReturn {
  readonly laneId: number | string;
  readonly seq: number;
  readonly recordedAt: number;
}

function isTooEarly(
  { policy: { missingPass, missingPurchase, refundUnknown }, history, notes: { clockToleranceMs } }: LaneView,
  { row }: IntentView,
  { event, awaited }: { readonly event: Parked; readonly awaited: Awaited },
): boolean {
  // Its sale was not known when it was recorded: it stepped aside for that, and comes back with it.
  if (event.at === row.recordedAt) return false;
  // A person must look at the purchase first: nothing is waited for.
  if (awaited.parkedAt !== null && awaited.parkedAt <= event.at + clockToleranceMs) return false;
  // It waits for what nobody knows until that is known as nobody's.
  if (refundUnknown === 'post' && awaited.row === null) return false;
  const { seq, recordedAt } = row;
  if (neverComes(awaited, { laneId: history.lane.laneId, seq, recordedAt })) return false;
  const longestMs = missingPurchase.waitMs;
  const waitMs = awaited.row === null ? longestMs : Math.min(longestMs, missingPass.waitMs);
  return event.at < row.recordedAt + waitMs;
}

/** Between a blocking park and the word that ends it nothing else of the lane is begun. */
function* judgeBlocks(view: LaneView): Iterable<Finding> {
  let block: EventRow | null = null;
  for (const row of view.events) {
    if (block !== null && row.event.type === 'AttemptBegun' && row.seq !== block.seq) {
      yield whenItHappened(view, row, { problem: `begun while ${block.seq} blocks the lane`, rows: [block] });
    }
    block = blockAfter(block, row);
  }
}

function blockAfter(block: EventRow | null, row: EventRow): EventRow | null {
  const { event, seq } = row;
  if (event.type === 'IntentParked' && event.lane === 'block') return row;
  // What blocked is parked anew when it is erased.
  const isEnd = event.type === 'IntentParked' || endsBlock.includes(event.type);
  return block !== null && seq === block.seq && isEnd ? null : block;
}

const endsBlock: readonly string[] = [
  'IntentReplayed',
  'IntentResolved',
  'IntentCancelled',
  'VerifiedApplied',
  'IntentCorrected',
];

const reportMsDefault = 500;
/** One replica tells of a rest with its next report and another hears of it with its own. */
const reportsUntilKnown = 2;
/** For what was on its way. */
const onItsWayMs = 500;
/** A replica that cannot reach the database goes on by what it knew for as long as the others count on it. */
const cutOffRumourMs = 4_000;
/** Joining and leaving replicas share the limit anew within their report interval: for so long it may be exceeded. */
const shareSlack = 1.5;
/** Where a report does not come through, the one that leaves and the one that joins may both use it for a whole second. */
const cutOffShareSlack = 2;

/** I20: limits and Retry-After are obeyed. */
export const limitsObeyed: Invariant = {
  id: 'I20',
  checks:
    'no attempt is begun again before its retry time; no request arrives while the partner wants rest; no second has more than 1.5 times the requests allowed, plus one per replica, those refused with 401 not counted',
  cannotSee: 'rests and rates, where nobody noted requests; concurrency; the exact rate',
  elsewhere: [
    'libs/outbox/src/gate/program-gate.unit.spec.ts',
    'libs/outbox/src/gate/limit-share.unit.spec.ts',
    'libs/outbox/src/gate/adaptive-limit.unit.spec.ts',
  ],
  judge: (run) => ({ lane: (view) => judgeAllRetries(view, run), end: () => judgeRequests(run) }),
};

function* judgeAllRetries(view: LaneView, { notes }: RunHistory): Iterable<Finding> {
  if (notes.wasRebuilt) return;
  for (const intent of view.intents.values()) yield* judgeRetries(view, intent);
}

function* judgeRetries(view: LaneView, { steps }: IntentView): Iterable<Finding> {
  for (const [index, { row }] of steps.entries()) {
    const before = steps[index - 1]?.row;
    if (row.event.type !== 'AttemptBegun' || before?.event.type !== 'AttemptNotApplied') continue;
    const earliest = before.event.retryAt - view.notes.clockToleranceMs;
    const begun = steps.slice(0, index).findLast((step) => step.row.event.type === 'AttemptBegun')?.row ?? before;
    if (row.event.at >= earliest || isInterrupted(view, begun, row)) continue;
    yield whenItHappened(view, row, { problem: 'begun again before its time', rows: [before] });
  }
}

/** Something was put before it since it was sent: with that out of the way the lane goes on at once. */
function isInterrupted({ events }: LaneView, from: EventRow, to: EventRow): boolean {
  const between = events.filter(({ version }) => version > from.version && version < to.version);
  return between.some(({ event }) => putsBack.includes(event.type));
}

const putsBack: readonly string[] = ['IntentReplayed', 'IntentReissued', 'IntentResolved'];

function* judgeRequests({ requests = [], programs, notes }: RunHistory): Iterable<Finding> {
  const byProgram = Map.groupBy(requests, ({ program }) => program);
  for (const [program, own] of byProgram) {
    if (program === null) continue;
    yield* judgeRests(own, notes);
    const limit = programs[program]?.limits.requestsPerSecond ?? null;
    // Refused at the door, it is repeated at once with a new token and a second time never: counted once.
    const counted = own.filter(({ status }) => status !== 401);
    const slack = isCutOff(notes) ? cutOffShareSlack : shareSlack;
    if (limit !== null) yield* judgeRate(counted, Math.ceil(limit * slack) + notes.replicas);
  }
}

function* judgeRests(
  requests: readonly PartnerRequest[],
  { clockToleranceMs, faults, reportMs = reportMsDefault }: RunHistory['notes'],
): Iterable<Finding> {
  const knownMs = reportsUntilKnown * reportMs + onItsWayMs;
  const slack = { rumourMs: isCutOff({ faults }) ? Math.max(cutOffRumourMs, knownMs) : knownMs, clockToleranceMs };
  let rest: PartnerRequest | null = null;
  for (const request of requests.toSorted((one, other) => one.arrivedAt - other.arrivedAt)) {
    if (rest !== null && isWithin(rest, request.arrivedAt, slack)) {
      yield ofTheRun('a request while the partner wanted rest', [rest, request], request.arrivedAt);
    }
    if (endOf(request) > (rest === null ? 0 : endOf(rest))) rest = request;
  }
}

function endOf({ status, endedAt, heardAt, retryAfterMs }: PartnerRequest): number {
  return status === 429 && endedAt !== null && heardAt !== null
    ? endedAt + Math.min(retryAfterMs ?? 0, retryAfterMsMax)
    : 0;
}

/** Whether replicas may have been without the database, by which they hear of each other. */
const isCutOff = ({ faults }: Pick<RunHistory['notes'], 'faults'>): boolean =>
  Object.keys(faults).some((fault) => /^db-|postgres/.test(fault));

interface Slack {
  readonly rumourMs: number;
  readonly clockToleranceMs: number;
}

function isWithin(rest: PartnerRequest, at: number, slack: Slack): boolean {
  return at > (rest.heardAt ?? rest.endedAt ?? Infinity) + slack.rumourMs && at < endOf(rest) - slack.clockToleranceMs;
}

function* judgeRate(requests: readonly PartnerRequest[], max: number): Iterable<Finding> {
  const arrivals = requests.map(({ arrivedAt }) => arrivedAt).sort((one, other) => one - other);
  let from = 0;
  for (const [index, at] of arrivals.entries()) {
    while ((arrivals[from] ?? at) <= at - 1_000) from += 1;
    const count = index - from + 1;
    if (count <= max) continue;
    yield ofTheRun(`${count} requests within a second, ${max} at most`, [], at);
    return;
  }
}

/** I21: one token refresh in flight per replica. */
export const oneTokenRefresh: Invariant = {
  id: 'I21',
  checks: 'no more token requests overlap at the partner than there are replicas',
  cannotSee: 'anything where nobody noted requests; which replica asked; restarts within one refresh',
  elsewhere: ['libs/gateway/src/call/token-source.unit.spec.ts'],
  judge: (run) => ({ end: () => judgeTokens(run) }),
};

function* judgeTokens({ requests = [], notes }: RunHistory): Iterable<Finding> {
  const tokens = requests.filter(({ operation }) => operation === 'token');
  let open: PartnerRequest[] = [];
  for (const request of tokens.toSorted((one, other) => one.arrivedAt - other.arrivedAt)) {
    open = [...open.filter(({ endedAt }) => (endedAt ?? Infinity) > request.arrivedAt), request];
    if (open.length <= notes.replicas) continue;
    yield ofTheRun(`${open.length} token refreshes at once`, open, request.arrivedAt);
    return;
  }
}
