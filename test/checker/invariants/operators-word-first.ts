import type { EventRow } from '../history/lane-history.js';
import { isStale } from '../lane/is-stale.js';
import type { IntentView, LaneView } from '../lane/lane-view.js';
import type { Finding, Invariant } from './invariant.js';
import { whenItHappened } from './invariant.js';

/** I26: a cancel or a correction that was granted is never overtaken by a later send. */
export const operatorsWordFirst: Invariant = {
  id: 'I26',
  checks: 'nothing is begun after it was cancelled; what is begun after a correction sends what was corrected',
  cannotSee: 'the content of an issue at the partner, where the history does not tell it',
  elsewhere: ['libs/intents/src/lanes/record-steps.int.spec.ts', 'libs/intents/src/batch/consequences.int.spec.ts'],
  judge: () => ({ lane }),
};

function* lane(view: LaneView): Iterable<Finding> {
  for (const intent of view.intents.values()) yield* judgeCancel(view, intent);
  for (const effect of view.unexplained.effects) {
    if (!isStale(view, effect)) continue;
    const { laneId } = view.history.lane;
    yield {
      problem: 'sent as it was before its correction',
      at: effect.arrivedAt,
      laneId,
      seq: null,
      attempt: null,
      rows: [effect],
    };
  }
}

function* judgeCancel(view: LaneView, { steps }: IntentView): Iterable<Finding> {
  let cancel: EventRow | null = null;
  for (const { row } of steps) {
    if (row.event.type === 'IntentCancelled') cancel = row;
    else if (row.event.type === 'IntentReplayed' || row.event.type === 'IntentResolved') cancel = null;
    else if (row.event.type === 'AttemptBegun' && cancel !== null) {
      yield whenItHappened(view, row, { problem: 'begun after it was cancelled', rows: [cancel] });
    }
  }
}
