import type { LaneCursor } from '../lane-cursor.js';
import { isDrained, sendFirst, settleAhead, settleCurrent } from '../lane-cursor.js';

/** What may happen to a lane. `pick` in [0, 1) chooses a recorded sequence. */
export type LaneMove =
  | { readonly kind: 'record'; readonly count: number }
  | { readonly kind: 'settle-current' }
  | { readonly kind: 'settle-ahead'; readonly pick: number }
  | { readonly kind: 'send-first'; readonly pick: number };

export const emptyLane: LaneCursor = { head: 1, tail: 0, current: 1, redo: [], ahead: [] };

/** The sequence that a move is about, or null where it is about none or the lane is empty. */
export function chosenSeq(cursor: LaneCursor, move: LaneMove): number | null {
  if (!('pick' in move) || cursor.tail === 0) return null;
  return 1 + Math.floor(move.pick * cursor.tail);
}

export function makeMove(cursor: LaneCursor, move: LaneMove): LaneCursor {
  if (move.kind === 'record') {
    return { ...cursor, tail: cursor.tail + move.count };
  }
  if (move.kind === 'settle-current') return isDrained(cursor) ? cursor : settleCurrent(cursor);
  const seq = chosenSeq(cursor, move);
  if (seq === null) return cursor;
  return move.kind === 'settle-ahead' ? settleAhead(cursor, seq) : sendFirst(cursor, seq);
}
