import type { LaneView } from '../lane/lane-view.js';
import { truthDigest } from '../lane/truth-digest.js';
import type { Finding, Invariant } from './invariant.js';
import { atTheEnd } from './invariant.js';

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
