import { digest } from '#platform';

import type { CellIdentity } from '../claim-cell.js';

/** Which of `count` shares something falls into. */
export function shareOf(parts: readonly (string | number)[], count: number): number {
  return digest(JSON.stringify(parts)).readUInt32BE(0) % count;
}

/** Whether a member is of a cell: by hash(program, memberId) mod N (design.md section 10). */
export function isOfCell(
  { index, count }: CellIdentity,
  { program, memberId }: { readonly program: string; readonly memberId: string },
): boolean {
  return count === 1 || shareOf(['member', program, memberId], count) === index;
}
