import type { Operation } from '#domain';

/**
 * Beyond any time that a lane could really be due at. A lane whose next intent is of a paused operation is put off to
 * its operation's mark: it costs no further claim, however many there are, and lifting the pause finds exactly these
 * lanes by the index that claims use.
 */
const marksFrom = Date.UTC(3000, 0, 1);

/** Written into rows: a number never changes its meaning, new operations get new ones. */
const marks: Readonly<Record<Operation, number>> = {
  issue: 1,
  'issue-via-workflow': 2,
  'update-via-workflow': 3,
  transaction: 4,
  reward: 5,
  'schedule-update': 6,
};

/** When a lane is due that waits for the end of its operation's pause, epoch ms. */
export function putOffMark(operation: Operation): number {
  return marksFrom + marks[operation];
}
