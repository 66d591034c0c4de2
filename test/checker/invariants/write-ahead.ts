import type { RunHistory } from '../history/run-history.js';
import type { Effect } from '../history/partner-history.js';
import type { Attempt } from '../lane/attempt.js';
import type { LaneView } from '../lane/lane-view.js';
import type { Noted } from '../lane/attribute.js';
import { isStale } from '../lane/is-stale.js';
import type { Accusation, Finding, Invariant } from './invariant.js';
import { ofTheRun, whenItHappened } from './invariant.js';

/** I9: every request has an earlier committed begin of its own. */
export const writeAhead: Invariant = {
  id: 'I9',
  checks: 'each effect and request at the partner goes back to a begin of its own, committed before it arrived',
  cannotSee:
    'when a begin was committed, unless the history tells: then a request that overtook its begin is seen only if that begin was lost',
  elsewhere: ['libs/delivery/src/engine/delivery-engine.property.sim.spec.ts'],
  judge: (run) => ({
    lane: (view) => judgeLane(view, run),
    end: () => run.strayEffects.filter((effect) => isOurs(run, effect)).map(strayEffect),
  }),
};

function* judgeLane(view: LaneView, run: RunHistory): Iterable<Finding> {
  const { effects, requests } = view.unexplained;
  const isNobodys = (item: Noted): boolean => !isUnreadable(view, item) && !isStale(view, item);
  for (const effect of effects.filter((item) => isNobodys(item) && isOurs(run, item))) {
    yield nobodys(view, 'an effect that no begun attempt can have made', effect);
  }
  for (const request of requests.filter(isNobodys)) {
    yield nobodys(view, 'a request without a begin of its own', request);
  }
  const attempts = [...view.intents.values()].flatMap((intent) => intent.attempts);
  for (const attempt of attempts) yield* judgeCommit(view, attempt);
}

function nobodys({ history }: LaneView, problem: string, item: Noted): Accusation {
  return { problem, at: item.arrivedAt, laneId: history.lane.laneId, seq: null, attempt: null, rows: [item] };
}

function* judgeCommit(view: LaneView, { begin, effects, requests }: Attempt): Iterable<Finding> {
  const { committedAt } = begin;
  if (committedAt === undefined) return;
  const early = [...effects, ...requests].find(
    ({ arrivedAt }) => arrivedAt + view.notes.clockToleranceMs < committedAt,
  );
  if (early !== undefined) {
    yield whenItHappened(view, begin, { problem: 'sent before its begin was committed', rows: [early] });
  }
}

/** An intent of this operation cannot be read any more: the effect may be its own. */
function isUnreadable(view: LaneView, { operation }: { readonly operation: string }): boolean {
  return [...view.intents.values()].some(
    ({ row, attempts }) => row.asks === null && row.operation === operation && attempts.length > 0,
  );
}

function isOurs({ notes: { partner } }: RunHistory, { operation }: Effect): boolean {
  const isIssue = operation === 'issue' || operation === 'issue-via-workflow';
  return !(partner.othersWrite || (partner.hadPasses && isIssue)) && operation !== 'scheduled-change';
}

function strayEffect(effect: Effect): Accusation {
  return ofTheRun('an effect for a member of whom nothing is recorded', [effect], effect.arrivedAt);
}
