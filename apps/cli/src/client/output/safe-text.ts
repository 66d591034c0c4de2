/**
 * What a terminal acts upon instead of showing it: control characters of both sets, and those that turn the direction
 * of writing. Data of the server may hold any of them.
 */
const acted = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const spelled: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A text in one line, with escapes for what a terminal would act upon. */
export function safeLine(text: string): string {
  return text.replace(acted, (character) => spelled[character] ?? escaped(character));
}

/** JSON, with escapes for the same, so that it is still the same JSON. */
export function safeJson(value: unknown, indent = 0): string {
  // Line breaks are its own; those within strings have been escaped already.
  return JSON.stringify(value, null, indent).replace(acted, (character) =>
    character === '\n' ? character : escaped(character),
  );
}
