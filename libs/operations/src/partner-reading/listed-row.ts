import type { Program, WalletPass } from '#contracts';
import { identifierSchema } from '#contracts';
import { digest } from '#platform';

/** A listed pass that carries our id. */
export interface ListedPass {
  readonly memberId: string;
  readonly pass: WalletPass;
}

/** The member whose pass it is; null where it carries no id that a source event could name, under our key. */
export function memberIdOf(pass: WalletPass, { uniqueIdKey }: Pick<Program, 'uniqueIdKey'>): string | null {
  const id = pass.passdata?.metaData?.[uniqueIdKey];
  const read = identifierSchema.safeParse(id);
  return read.success && read.data.isWellFormed() ? read.data : null;
}

/** What names a pass, cut short: the same pass listed again is told from another one of the same member. */
export function markOf({ passId, serialNumber }: WalletPass): number {
  return digest(JSON.stringify([passId ?? null, serialNumber ?? null])).readInt32BE(0);
}

/** The passes of a page by member: the first that is listed of each, and those that come after it. */
export function byMember(listed: readonly ListedPass[]): {
  readonly first: ReadonlyMap<string, WalletPass>;
  readonly further: readonly ListedPass[];
} {
  const first = new Map<string, WalletPass>();
  const further: ListedPass[] = [];
  for (const row of listed) {
    const known = first.get(row.memberId);
    if (known === undefined) first.set(row.memberId, row.pass);
    else if (markOf(known) !== markOf(row.pass)) further.push(row);
  }
  return { first, further };
}
