import { digest } from '#platform';

/** Which share of the members this deployment takes (design.md section 10); `{ index: 0, count: 1 }` takes all. */
export interface Cell {
  readonly index: number;
  readonly count: number;
}

function shareOf(parts: readonly (string | number)[], count: number): number {
  return digest(JSON.stringify(parts)).readUInt32BE(0) % count;
}

/** Members are spread by hash(program, memberId) mod N. */
export function takesMember(cell: Cell, member: { readonly program: string; readonly memberId: string }): boolean {
  return cell.count === 1 || shareOf(['member', member.program, member.memberId], cell.count) === cell.index;
}

/** A record that names no member belongs to exactly one cell too: only that one sets it aside or counts it. */
export function takesRecord(
  cell: Cell,
  record: { readonly topic: string; readonly partition: number; readonly offset: number },
): boolean {
  if (cell.count === 1) return true;
  return shareOf(['record', record.topic, record.partition, record.offset], cell.count) === cell.index;
}
