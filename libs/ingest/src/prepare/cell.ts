import type { NamedMember } from '#contracts';
import { digest } from '#platform';

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

function shareOf(parts: readonly (string | number)[], count: number): number {
  return digest(JSON.stringify(parts)).readUInt32BE(0) % count;
}

/**
 * Whether a record is this cell's: that of the member it names, by hash(program, memberId) mod N. One that names none
 * belongs to exactly one cell too, by its place: only that one sets it aside or counts it.
 */
export function takes(cell: Cell, member: NamedMember | null, { topic, partition, offset }: RecordPlace): boolean {
  if (cell.count === 1) return true;
  const parts = member === null ? ['record', topic, partition, offset] : ['member', member.program, member.memberId];
  return shareOf(parts, cell.count) === cell.index;
}
