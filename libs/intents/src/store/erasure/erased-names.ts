import { keyedDigest } from '#platform';

/**
 * What a member's row bears instead of the id once the member is erased: a digest under the installation's key, by which nobody
 * finds the id, and an id its row. It goes after a term (`forgetErasedNames`).
 */
export function erasedName(macKey: Uint8Array, memberId: string): string {
  return `erased.${keyedDigest(macKey, `erased member ${memberId}`).toString('base64url')}`;
}

/** What the rows of members may bear, erased or not, to look them up by. */
export class SoughtNames {
  readonly programs: readonly string[];
  readonly memberIds: readonly string[];
  private readonly idOf: ReadonlyMap<string, string>;

  constructor(macKey: Uint8Array, names: readonly { readonly program: string; readonly memberId: string }[]) {
    const erased = names.map(({ memberId }) => [erasedName(macKey, memberId), memberId] as const);
    const programs = names.map(({ program }) => program);
    this.programs = [...programs, ...programs];
    this.memberIds = [...names.map(({ memberId }) => memberId), ...erased.map(([name]) => name)];
    this.idOf = new Map(erased);
  }

  /** The id of the member whose row this is, where it was looked for. */
  memberIdOf(borne: string): string {
    return this.idOf.get(borne) ?? borne;
  }
}
