import { retryAfterMsMax } from '#domain';

import type { EventRow } from '../history/lane-history.js';
import type { PartnerRequest } from '../history/partner-history.js';
import type { RunHistory } from '../history/run-history.js';
import type { IntentView, LaneView } from '../lane/lane-view.js';
import type { Finding, Invariant } from './invariant.js';
import { ofTheRun, whenItHappened } from './invariant.js';

/** Within a second all replicas know of a rest; some more for what was on its way. */
const rumourMs = 1_500;
/** A replica that cannot reach the database goes on by what it knew for as long as the others count on it. */
const cutOffRumourMs = 4_000;
/** Joining and leaving replicas share the limit anew within their report interval: for so long it may be exceeded. */
const shareSlack = 1.5;

/** I20: limits and Retry-After are obeyed. */
export const limitsObeyed: Invariant = {
  id: 'I20',
  checks:
    'no attempt is begun again before its retry time; no request arrives while the partner wants rest; no second has more than 1.5 times the requests allowed, plus one per replica, those refused with 401 not counted',
  cannotSee: 'rests and rates, where nobody noted requests; concurrency; the exact rate',
  elsewhere: [
    'libs/delivery/src/gate/program-gate.unit.spec.ts',
    'libs/delivery/src/gate/limit-share.unit.spec.ts',
    'libs/delivery/src/gate/adaptive-limit.unit.spec.ts',
  ],
  judge: (run) => ({ lane: (view) => judgeLane(view, run), end: () => judgeRequests(run) }),
};

function* judgeLane(view: LaneView, { notes }: RunHistory): Iterable<Finding> {
  if (notes.wasRebuilt) return;
  for (const intent of view.intents.values()) yield* judgeRetries(view, intent);
}

function* judgeRetries(view: LaneView, { steps }: IntentView): Iterable<Finding> {
  for (const [index, { row }] of steps.entries()) {
    const before = steps[index - 1]?.row;
    if (row.event.type !== 'AttemptBegun' || before?.event.type !== 'AttemptNotApplied') continue;
    const earliest = before.event.retryAt - view.notes.clockToleranceMs;
    if (row.event.at >= earliest || isInterrupted(view, before, row)) continue;
    yield whenItHappened(view, row, { problem: 'begun again before its time', rows: [before] });
  }
}

/** An operator put something before it meanwhile: with that out of the way the lane goes on at once. */
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
    if (limit !== null) yield* judgeRate(counted, Math.ceil(limit * shareSlack) + notes.replicas);
  }
}

function* judgeRests(
  requests: readonly PartnerRequest[],
  { clockToleranceMs, faults }: RunHistory['notes'],
): Iterable<Finding> {
  const isCutOff = Object.keys(faults).some((fault) => /^db-|postgres/.test(fault));
  const slack = { rumourMs: isCutOff ? cutOffRumourMs : rumourMs, clockToleranceMs };
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
