import { isExactAsFloat } from '#contracts';

interface ReviverContext {
  readonly source?: string;
}

/** Fewer digits than this always fit into a float exactly. */
const LONG_NUMBER = /\d[\d.]{15}/;

/**
 * JSON.parse that keeps numbers exact: one that a float would change (an id beyond 2^53, a long amount) becomes the
 * text it was written with. Other numbers are read as usual.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  // A reviver costs ten times the parse; hardly any answer holds a long number.
  return (LONG_NUMBER.test(text) ? JSON.parse(text, keepExact) : JSON.parse(text)) as unknown;
}

function keepExact(_key: string, value: unknown, context?: ReviverContext): unknown {
  if (typeof value !== 'number') return value;
  const source = context?.source;
  return source === undefined || isExactAsFloat(source) ? value : source;
}
