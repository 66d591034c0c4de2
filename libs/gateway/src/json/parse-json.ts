interface ReviverContext {
  readonly source?: string;
}

/** Fewer digits than this always fit into a float exactly. */
const LONG_NUMBER = /\d{16}/;

/**
 * JSON.parse that keeps ids exact: an integer beyond 2^53 becomes its decimal text instead of a rounded float. Other
 * numbers are read as usual.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  // A reviver costs ten times the parse; hardly any answer holds a long number.
  return (LONG_NUMBER.test(text) ? JSON.parse(text, keepExact) : JSON.parse(text)) as unknown;
}

function keepExact(_key: string, value: unknown, context?: ReviverContext): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && /^-?\d+$/.test(source) ? source : value;
}
