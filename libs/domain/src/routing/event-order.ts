/** What orders two events of one member. */
export interface EventPosition {
  readonly sequence: string | null;
  readonly timeMs: number;
}

/**
 * Negative when `a` is older than `b`, 0 when neither is: by `sequence` where both have one, else by time. Sequences
 * of digits compare as numbers of any length, others by code units (CloudEvents' sequence extension). An update older
 * than the last seen for its member is stale (contracts.md section 1).
 */
export function compareEventOrder(a: EventPosition, b: EventPosition): number {
  if (a.sequence === null || b.sequence === null) return a.timeMs - b.timeMs;
  return compareSequence(a.sequence, b.sequence);
}

const digits = /^\d+$/;

function compareSequence(a: string, b: string): number {
  if (!digits.test(a) || !digits.test(b)) return compareText(a, b);
  const [left, right] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return left.length === right.length ? compareText(left, right) : left.length - right.length;
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
