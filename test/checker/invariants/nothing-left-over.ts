import { laneDetoursMax } from '#domain';

import type { RunHistory } from '../history/run-history.js';
import type { LaneView } from '../lane/lane-view.js';
import type { Finding, Invariant } from './invariant.js';
import { atTheEnd } from './invariant.js';

/** I23: everything is bounded; SIGTERM leaves no lease. */
export const nothingLeftOver: Invariant = {
  id: 'I23',
  checks: 'after every daemon was told to stop no lane is leased or open; redo and ahead stay bounded',
  cannotSee: 'memory, connections and queues of processes',
  elsewhere: [
    'test/e2e/drain.e2e.spec.ts',
    'libs/delivery/src/engine/delivery-engine.property.sim.spec.ts',
    'test/bench',
    'test/soak',
  ],
  judge: (run) => ({ lane: (view) => judgeLane(view, run) }),
};

function* judgeLane(view: LaneView, { notes }: RunHistory): Iterable<Finding> {
  const { owner, attemptOpen, redo, ahead } = view.history.lane;
  if (notes.isStopped && owner !== null) yield atTheEnd(view, 'leased, although every daemon has stopped');
  if (notes.isStopped && attemptOpen) yield atTheEnd(view, 'open, although every daemon has stopped');
  if (redo.length > laneDetoursMax || ahead.length > laneDetoursMax) {
    yield atTheEnd(view, 'redo or ahead has grown beyond its bound');
  }
}
