import { isDeepStrictEqual } from 'node:util';
import type { WireRequest } from '../interpreter/wire-request.js';
import type { RecordedExchange } from './recording-proxy.js';

export interface WireComparison {
  readonly expected: WireRequest;
  readonly recorded: readonly RecordedExchange[];
  /** Path of the base address. */
  readonly basePath: string;
  /** The gateway may say more in the query: it always pages. */
  readonly mayAddQuery: boolean;
}

/** In what the gateway's request differs from what the document and the dialect ask for; values are not shown. */
export function wireDifferences({ expected, recorded, basePath, mayAddQuery }: WireComparison): string[] {
  const [only] = recorded;
  if (only === undefined || recorded.length > 1) return [`wire: ${recorded.length} requests instead of one`];
  const { pathname, searchParams } = new URL(only.target, 'http://wire.invalid');
  const query = Object.fromEntries(searchParams);
  const same = {
    method: only.method === expected.method,
    path: pathname === basePath + expected.path,
    query: isDeepStrictEqual(mayAddQuery ? pick(query, Object.keys(expected.query)) : query, expected.query),
    body: isDeepStrictEqual(only.body === '' ? undefined : JSON.parse(only.body), asSent(expected.body)),
  };
  return Object.entries(same).flatMap(([part, isSame]) =>
    isSame ? [] : [`wire: another ${part} than the document's`],
  );
}

/** What JSON makes of it. */
function asSent(body: unknown): unknown {
  return body === undefined ? undefined : (JSON.parse(JSON.stringify(body)) as unknown);
}

function pick(values: Record<string, string>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
}
