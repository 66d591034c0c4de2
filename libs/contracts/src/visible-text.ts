/**
 * What nobody sees of a text, so that two ids look like one: controls, formats (joiners, directions, soft hyphens, byte order
 * marks), separators of lines, what Unicode says may be ignored (variation selectors, fillers), halves of surrogate pairs, and
 * what is blank though it is no U+0020: other spaces, the blank of Braille, the null note.
 */
const invisible =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\u{1d159}]|(?! )\p{Zs}/u;

/** Nearly every id is of these alone, which one look tells. */
const plain = /^[ -~]*$/;

/** The first character of a text that cannot be seen, as `U+200D`; null: there is none. */
export function invisibleIn(text: string): string | null {
  if (plain.test(text)) return null;
  const found = invisible.exec(text)?.[0].codePointAt(0);
  return found === undefined ? null : `U+${found.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** What is said of a text that has one; empty where it has none. */
export function visibleRule(text: string): string {
  const found = invisibleIn(text);
  return found === null ? '' : `has ${found}, which cannot be seen`;
}

/** `schema.refine(isVisible, saysInvisible)`: of an id that people compare. */
export const isVisible = (text: string): boolean => invisibleIn(text) === null;

export const saysInvisible = {
  error: ({ input }: { readonly input?: unknown }): string => (typeof input === 'string' ? visibleRule(input) : ''),
};

const latin = /\p{Script=Latin}/u;
const alike = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;

/** Latin letters beside Cyrillic or Greek ones, many of which look the same: perhaps another id than it seems. */
export function mixesScripts(text: string): boolean {
  return !plain.test(text) && alike.test(text) && latin.test(text);
}
