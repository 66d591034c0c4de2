declare const made: unique symbol;

/** What sealed bytes are bound to. Only `sealContext` makes one, so that nothing is sealed for a place that is made up on the way. */
export type SealContext = Uint8Array & { readonly [made]: true };

/**
 * The associated data of a place: each part behind its length, so that no two lists of parts come to the same bytes.
 * @param parts ASCII, or whole numbers: what a row is known by, from its table and column on
 * @throws {RangeError} for a number that has no exact text
 */
export function sealContext(parts: readonly (string | number)[]): SealContext {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'number' && !Number.isSafeInteger(part)) throw new RangeError('a place has whole numbers');
    const spelled = String(part);
    text += `${spelled.length}:${spelled},`;
  }
  return Buffer.from(text, 'utf8') as Uint8Array as SealContext;
}
