/**
 * SQL: whether a lane (`l`) has still to come to an intent, told by where its cursor stands: at or behind the head and not
 * settled ahead of it, or put back.
 */
export function openInLane(seq: string): string {
  return `(${seq} >= l.head_seq AND ${seq} <> ALL (l.ahead) OR ${seq} = ANY (l.redo))`;
}
