/** `redo` and `ahead` are bounded: an operator's replay of more goes in portions. */
export const laneDetoursMax = 1_000;

/**
 * The position of a lane (design.md section 4). Sequence numbers are dense from 1. `head` is the first not settled in
 * order; `tail` the last recorded; `current` is the next to send, or being sent; `redo` holds sequences sent before the
 * head, in this order: put back behind it, or going ahead of what waits; `ahead` holds sequences beyond the head that
 * are already settled.
 */
export interface LaneCursor {
  readonly head: number;
  readonly tail: number;
  readonly current: number;
  readonly redo: readonly number[];
  readonly ahead: readonly number[];
}

function withCurrent(cursor: Omit<LaneCursor, 'current'>): LaneCursor {
  return { ...cursor, current: cursor.redo[0] ?? cursor.head };
}

/** Nothing is left to send. The current sequence then lies one past the tail. */
export function isDrained(cursor: LaneCursor): boolean {
  return cursor.current > cursor.tail;
}

/** The current intent is settled (delivered, cancelled, or parked where parking lets the lane go on). */
export function settleCurrent(cursor: LaneCursor): LaneCursor {
  const { current, tail } = cursor;
  const redo = cursor.redo.filter((seq) => seq !== current);
  if (current < cursor.head) return withCurrent({ head: cursor.head, tail, redo, ahead: cursor.ahead });
  return withCurrent({ ...advance(cursor.head, [...cursor.ahead, current]), tail, redo });
}

/** A sequence beyond or at the head settles without having been sent (cancelled). */
export function settleAhead(cursor: LaneCursor, seq: number): LaneCursor {
  if (seq === cursor.current) return settleCurrent(cursor);
  const redo = cursor.redo.filter((candidate) => candidate !== seq);
  if (seq < cursor.head || cursor.ahead.includes(seq)) return withCurrent({ ...cursor, redo });
  return withCurrent({ ...advance(cursor.head, [...cursor.ahead, seq]), tail: cursor.tail, redo });
}

/**
 * A sequence is to be sent next, before the head and before whatever else was put back: an enrolment overtaking what
 * waits for it. It goes to the front of `redo` even when what waits was itself put back behind the head.
 * @param isHeld an attempt is under way, or the lane is blocked: that ends first
 */
export function sendFirst(cursor: LaneCursor, seq: number, isHeld = false): LaneCursor {
  if (cursor.redo.includes(seq)) return cursor;
  const ahead = cursor.ahead.filter((candidate) => candidate !== seq);
  const first = { ...cursor, ahead, redo: [seq, ...cursor.redo] };
  return isHeld ? first : withCurrent(first);
}

/**
 * Whether an enrolment recorded behind what waits for the pass may go first. The database asks the same of
 * `lane_overtakes`; a property test holds the two against each other. Detours are bounded: one enrolment too many keeps
 * its place.
 */
export function mayOvertake({ head, current, redo, ahead }: LaneCursor, seq: number): boolean {
  return seq > current && seq >= head && ![...ahead, ...redo].includes(seq) && redo.length < laneDetoursMax;
}

/** How many later sequences are settled already. The database's `lane_overtaken` says the same. */
export function overtakenBy({ head, redo, ahead }: LaneCursor, seq: number): number {
  const behind = redo.filter((put) => put > seq).length;
  return Math.max(0, head - seq - 1 - behind) + ahead.filter((settled) => settled > seq).length;
}

/**
 * Queues a parked intent again. One behind the cursor goes before the head, in the order of the lane: a refund that was put
 * back before its purchase would hold the lane that its purchase needs. What goes ahead of all that waits lies beyond the head,
 * and stays first; an attempt under way ends first. One that the lane has not reached yet stays where it is.
 */
export function requeue(cursor: LaneCursor, seq: number, isUnderWay: boolean): LaneCursor {
  if (seq === cursor.current || cursor.redo.includes(seq)) return cursor;
  if (seq >= cursor.head) return { ...cursor, ahead: cursor.ahead.filter((candidate) => candidate !== seq) };
  const later = cursor.redo.findIndex((put) => put < cursor.head && put > seq);
  const behind = { ...cursor, redo: cursor.redo.toSpliced(later < 0 ? cursor.redo.length : later, 0, seq) };
  return isUnderWay ? behind : withCurrent(behind);
}

/** The cursor after an attempt that did not settle its intent: intents requeued meanwhile go first. */
export function afterTry(cursor: LaneCursor): LaneCursor {
  return withCurrent(cursor);
}

function advance(
  head: number,
  settled: readonly number[],
): { readonly head: number; readonly ahead: readonly number[] } {
  const open = new Set(settled);
  let next = head;
  while (open.delete(next)) next += 1;
  return { head: next, ahead: [...open].sort((a, b) => a - b) };
}
