/** ECMA-262 (Node 21), not in TypeScript's library yet: a text that `JSON.stringify` writes as it stands. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  readonly rawJSON: (text: string) => RawNumber;
  readonly isRawJSON: (value: unknown) => boolean;
};

/** A number of more digits than a float keeps, as it was written. */
interface RawNumber {
  readonly rawJSON: string;
}

/** Fewer digits than this always fit into a float. */
const longNumber = /\d[\d.]{15}/;

/** Whether reading the text into floats might change a number. */
export function mayLoseDigits(text: string): boolean {
  return longNumber.test(text);
}

interface ReviverContext {
  readonly source?: string;
}

/** JSON.parse that keeps every digit: what a float would change is written back as it came. @throws SyntaxError */
export function parseExact(text: string): unknown {
  return (mayLoseDigits(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)) as unknown;
}

function keepDigits(_key: string, value: unknown, context?: ReviverContext): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined) return value;
  return source === String(value) ? value : rawJSON(source);
}

function isRawNumber(value: unknown): value is RawNumber {
  return isRawJSON(value);
}

/** Whether a JSON value is a number, however long. */
export function isNumber(value: unknown): value is number | RawNumber {
  return (typeof value === 'number' && Number.isFinite(value)) || isRawNumber(value);
}

/** Its digits; null for what is no number. */
export function numberText(value: unknown): string | null {
  if (isRawNumber(value)) return value.rawJSON;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null;
}
