import { createHmac } from 'node:crypto';

/** The rows of who is erased bear a digest of the id: 16 bytes of HMAC-SHA-256 under the installation's key. */
function erasedName(macKey: Uint8Array, memberId: string): string {
  const digest = createHmac('sha256', macKey).update(`erased member ${memberId}`).digest();
  return `erased.${digest.subarray(0, 16).toString('base64url')}`;
}

/** Whose these names are, among all members that somebody has told of: by whoever holds the key. */
export class ErasedNames {
  private readonly ids: ReadonlyMap<string, string>;

  constructor(macKey: Uint8Array, texts: Iterable<string>) {
    const told = [...texts].flatMap((text) => [
      ...text.matchAll(/"(?:memberId|absorbed|card)":\s*(\[[^\]]*\]|"[^"]*")/g),
    ]);
    const ids = told.flatMap(([, value = '']) => [...value.matchAll(/"([^"]*)"/g)].map(([, id = '']) => id.trim()));
    this.ids = new Map([...new Set(ids)].map((id) => [erasedName(macKey, id), id]));
  }

  memberIdOf(borne: string): string {
    return this.ids.get(borne) ?? borne;
  }

  /** A text in which they stand, by themselves or in the name of an intent. */
  inText(text: string): string {
    return text.replaceAll(/erased\.[\w-]{22}/g, (name) => this.memberIdOf(name));
  }

  /** Rows that name a member. */
  inRows<Row extends { readonly member: string | null }>(rows: readonly Row[]): Row[] {
    return rows.map((row) => (row.member === null ? row : { ...row, member: this.memberIdOf(row.member) }));
  }
}
