/** What stands behind the `?` of an address: texts by name, as people would write them, such as `status=parked`. */
export type SearchTexts = Readonly<Record<string, string>>;

export const parseSearch = (text: string): SearchTexts => Object.fromEntries(new URLSearchParams(text));

/** Drops what is no text, and what is empty. */
export function textOnly(search: Readonly<Record<string, unknown>>): SearchTexts {
  const entries = Object.entries(search).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  );
  return Object.fromEntries(entries);
}

export function writeSearch(search: Readonly<Record<string, unknown>>): string {
  const text = new URLSearchParams(textOnly(search)).toString();
  return text === '' ? '' : `?${text}`;
}
