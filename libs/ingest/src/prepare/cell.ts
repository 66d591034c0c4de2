import type { NamedMember } from '#contracts';
import { isOfCell, shareOf } from '#intents';

/** Which share of the members this deployment takes (design.md section 10); `{ index: 0, count: 1 }` takes all. */
export interface Cell {
  readonly index: number;
  readonly count: number;
}

/** Where a record lies. */
export interface RecordPlace {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/**
 * Whether a record is this cell's: that of the member it names, by hash(program, memberId) mod N. One that names none
 * belongs to exactly one cell too, by its place: only that one sets it aside or counts it.
 */
export function takes(cell: Cell, member: NamedMember | null, { topic, partition, offset }: RecordPlace): boolean {
  if (cell.count === 1) return true;
  if (member !== null) return isOfCell(cell, member);
  return shareOf(['record', topic, partition, offset], cell.count) === cell.index;
}
