import type { IntentEventType } from '#intents/core';

import type { EventRow, HeardOutcome, RunHistory } from '../history.js';
import type { LaneView } from '../lane/lane-view.js';
import { truthDigest } from '../lane/truth-digest.js';
import type { Finding, Invariant } from './invariant.js';
import { atTheEnd, ofTheRun } from './invariant.js';

/** I17: a reader of the events sees each once, in lane order: shown by the outcomes topic, which is made of them. */
export const outcomesPublished: Invariant = {
  id: 'I17',
  checks:
    'the outcomes topic tells every delivery and every parking of a lane, in lane order; what comes again has the same id; a pass that is told is one of the member itself',
  cannotSee: 'anything where nobody listened; read models and their checkpoints',
  elsewhere: ['libs/intents/src/store/outcomes/outcome-feed.int.spec.ts'],
  judge: (run) => {
    const { outcomes } = run;
    if (outcomes === undefined) return {};
    const byMember = Map.groupBy(firstHeard(outcomes), ({ program, memberId }) => JSON.stringify([program, memberId]));
    const passes = Map.groupBy(outcomes, ({ program, memberId }) => JSON.stringify([program, memberId]));
    return {
      *lane(view) {
        yield* judgeLane(view, byMember, run);
        yield* judgePasses(view, passes);
      },
    };
  },
};

/** At least once: what is heard again, under the same id, is no news. Passes are told beside the events. */
function firstHeard(outcomes: readonly HeardOutcome[]): HeardOutcome[] {
  const ids = new Set<string>();
  return outcomes.filter(({ id, seq }) => {
    const isNew = !ids.has(id);
    ids.add(id);
    return isNew && seq !== null;
  });
}

function* judgeLane(
  view: LaneView,
  byMember: ReadonlyMap<string, readonly HeardOutcome[]>,
  { notes }: RunHistory,
): Iterable<Finding> {
  const { program, memberId } = view.history.lane;
  const heard = (byMember.get(JSON.stringify([program, memberId])) ?? []).map(
    ({ name, seq }) => `${name} ${String(seq)}`,
  );
  const owed = view.events.flatMap(outcomesOf);
  const isPrefix = heard.every((told, index) => told === owed[index]);
  if (isPrefix && (heard.length === owed.length || !notes.isAtRest)) return;
  const at = heard.findIndex((told, index) => told !== owed[index]);
  const from = at === -1 ? heard.length : at;
  yield atTheEnd(view, `told ${heard[from] ?? 'nothing'} instead of ${owed[from] ?? 'nothing'}`, [
    { heard: heard.slice(0, 20), owed: owed.slice(0, 20) },
  ]);
}

/** Whoever downloads the card of another member has that member's points. */
function* judgePasses(view: LaneView, told: ReadonlyMap<string, readonly HeardOutcome[]>): Iterable<Finding> {
  const { lane, passIds } = view.history;
  if (passIds === undefined) return;
  const heard = told.get(JSON.stringify([lane.program, lane.memberId])) ?? [];
  const strange = heard.filter(({ passId = null }) => passId !== null && !passIds.includes(passId));
  for (const outcome of strange) yield atTheEnd(view, "somebody else's pass was told", [outcome, { passIds }]);
}

const outcomeNames: Partial<Record<IntentEventType, string>> = {
  AttemptApplied: 'loyalty.intent.delivered.v1',
  VerifiedApplied: 'loyalty.intent.delivered.v1',
  IntentResolved: 'loyalty.intent.delivered.v1',
  IntentParked: 'loyalty.intent.parked.v1',
};

function outcomesOf({ seq, event }: EventRow): string[] {
  const name = outcomeNames[event.type];
  const isReopened = event.type === 'IntentResolved' && event.as === 'not-delivered';
  return name === undefined || isReopened ? [] : [`${name} ${seq}`];
}

/** I18: rows of the truth tables are never updated nor deleted. */
export const truthUnchanged: Invariant = {
  id: 'I18',
  checks: 'the truth of a lane up to a version that was seen before is still what it was',
  cannotSee: 'changes before the first look or of lanes never looked at; triggers and rights',
  elsewhere: ['test/schema/append-only.int.spec.ts'],
  judge: () => ({ lane }),
};

function* lane(view: LaneView): Iterable<Finding> {
  for (const sample of view.history.samples ?? []) {
    if (truthDigest(view.history, sample.version) === sample.digest) continue;
    yield {
      ...atTheEnd(view, `what was recorded up to version ${sample.version} has been changed since`, [sample]),
      at: sample.takenAt,
    };
    return;
  }
}

/** Accusations told at most: a value in a log is in a thousand lines of it. */
const toldMax = 20;

/** I22: no secret or personal value in logs, metrics, read models, or in the clear in any table. */
export const nothingInTheClear: Invariant = {
  id: 'I22',
  checks:
    'none of the secrets and personal values that the run knows stands in what the history holds of tables, logs and metrics',
  cannotSee: 'values that the run does not name, spelled otherwise, or in places that it does not show',
  elsewhere: ['libs/intents/src/store/sealed-columns.int.spec.ts', 'test/e2e/roles.e2e.spec.ts'],
  judge: (run) => ({ end: () => judgeTexts(run) }),
};

function* judgeTexts({ clearTexts = [], secrets = [] }: RunHistory): Iterable<Finding> {
  if (secrets.length === 0) return;
  const any = new RegExp(secrets.map((secret) => secret.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'));
  let told = 0;
  for (const { where, text } of clearTexts) {
    if (!any.test(text)) continue;
    // The value itself would otherwise go on into a report.
    yield ofTheRun(`a secret or personal value stands in ${where}`, []);
    told += 1;
    if (told === toldMax) return;
  }
}
