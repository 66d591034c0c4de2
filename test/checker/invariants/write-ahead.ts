import type { RunHistory } from '../history/run-history.js';
import type { Effect } from '../history/partner-history.js';
import type { Attempt } from '../lane/attempt.js';
import type { LaneView } from '../lane/lane-view.js';
import { isStale } from '../lane/is-stale.js';
import type { Accusation, Finding, Invariant } from './invariant.js';
import { ofTheRun, whenItHappened } from './invariant.js';

/** I9: every request has an earlier committed begin of its own. */
export const writeAhead: Invariant = {
  id: 'I9',
  checks: 'each effect and request at the partner goes back to a begin of its own, committed before it arrived',
  cannotSee:
    'when a begin was committed, unless the history tells: then a request that overtook its begin is seen only if that begin was lost',
  elsewhere: ['libs/delivery/src/engine/delivery-engine.property.unit.spec.ts'],
  judge: (run) => ({
    lane: (view) => judgeLane(view, run),
    end: () => run.strayEffects.filter((effect) => isOurs(run, effect)).map(strayEffect),
  }),
};

function* judgeLane(view: LaneView, run: RunHistory): Iterable<Finding> {
  const { laneId } = view.history.lane;
  const nobodys = (problem: string, item: { readonly arrivedAt: number }): Accusation => ({
    problem,
    at: item.arrivedAt,
    laneId,
    seq: null,
    attempt: null,
    rows: [item],
  });
  for (const effect of view.unexplained.effects) {
    const isTold = isUnreadable(view, effect) || isStale(view, effect) || !isOurs(run, effect);
    if (!isTold) yield nobodys('an effect that no begun attempt can have made', effect);
  }
  for (const request of view.unexplained.requests) {
    if (!isUnreadable(view, request) && !isStale(view, request))
      yield nobodys('a request without a begin of its own', request);
  }
  for (const intent of view.intents.values()) for (const attempt of intent.attempts) yield* judgeCommit(view, attempt);
}

function* judgeCommit(view: LaneView, { begin, effects, requests }: Attempt): Iterable<Finding> {
  const { committedAt } = begin;
  if (committedAt === undefined) return;
  const early = [...effects, ...requests].find(
    ({ arrivedAt }) => arrivedAt + view.notes.clockToleranceMs < committedAt,
  );
  if (early !== undefined)
    yield whenItHappened(view, begin, { problem: 'sent before its begin was committed', rows: [early] });
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
