import type { Dialect } from '../dialect/dialect-schema.js';

/** Without these the body that is kept could not be read again. */
const forReading: readonly string[] = ['content-type', 'content-encoding'];

export type HeaderTest = (name: string) => boolean;

/** Which headers of an answer are kept with it, by their names in lower case. */
export function keptHeaderTest({ headers }: Dialect['evidence']): HeaderTest {
  const wanted = headers.map((name) => name.toLowerCase());
  const whole = new Set([...forReading, ...wanted]);
  const beginnings = wanted.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  return (name) => whole.has(name) || beginnings.some((beginning) => name.startsWith(beginning));
}

/** A partner behind a gateway sends up to a kilobyte of headers with each answer, nearly all of which tell nobody anything. */
export function keptHeaders(
  headers: Readonly<Record<string, string>>,
  { isKeptHeader }: { readonly isKeptHeader: HeaderTest },
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const name in headers) if (isKeptHeader(name)) kept[name] = headers[name] ?? '';
  return kept;
}
