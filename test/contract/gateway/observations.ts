import { isDeepStrictEqual } from 'node:util';

import type { WireRequest } from '../interpreter/contract-client.js';
import type { ObservationName } from '../specification.js';
import type { GatewayAccess, GatewayLine, RecordedExchange } from './gateway-line.js';

/** What is seen on the wire of what the gateway keeps to itself. Holds no secret: it says whether one was sent. */
export async function observe(
  name: ObservationName,
  line: GatewayLine,
  { access, ask }: { readonly access: GatewayAccess; readonly ask: () => Promise<string> },
): Promise<unknown> {
  await line.forget();
  await line.take();
  switch (name) {
    case 'token':
      return tokenSeen(line, access, await ask());
    case 'refused-token':
      line.spoilTokens(1);
      return countsSeen(line, await ask());
    case 'twice-refused-token':
      line.spoilTokens(2);
      return countsSeen(line, await ask());
    default:
      return name satisfies never;
  }
}

async function countsSeen(line: GatewayLine, verdict: string): Promise<unknown> {
  const { calls, tokens } = await line.take();
  return { calls: calls.length, tokens: tokens.length, verdict, lastStatus: calls.at(-1)?.answer?.status };
}

async function tokenSeen(line: GatewayLine, access: GatewayAccess, verdict: string): Promise<unknown> {
  const { calls, tokens } = await line.take();
  const [request] = tokens;
  const [call] = calls;
  if (request === undefined || call === undefined) return { verdict };
  const answer = JSON.parse(request.answer?.body ?? '{}') as { access_token?: string; expires_in?: number };
  const { authorization } = call.headers;
  return {
    verdict,
    request: requestSeen(request, access),
    call: {
      headers: { authorization: authorization?.replace(/(?<=^\S+ )\S+$/, '***') },
      carriesToken: authorization === `Bearer ${answer.access_token ?? ''}`,
    },
    lifetimeIsAsAnswered: line.lifetimeMs === Number(answer.expires_in) * 1_000,
  };
}

function requestSeen({ method, target, headers, body }: RecordedExchange, access: GatewayAccess): unknown {
  const form = new URLSearchParams(body);
  return {
    method,
    path: target,
    headers: { 'content-type': headers['content-type'] },
    form: { grant_type: form.get('grant_type') ?? undefined },
    sends: {
      clientId: form.get('client_id') === access.clientId,
      clientSecret: form.get('client_secret') === access.clientSecret,
      scope: form.get('scope') === access.scope,
    },
  };
}

interface WireComparison {
  readonly expected: WireRequest;
  readonly recorded: readonly RecordedExchange[];
  /** Path of the base address. */
  readonly basePath: string;
  /** The gateway may say more in the query: it always pages. */
  readonly mayAddQuery: boolean;
}

/** In what the gateway's request differs from what the document and the dialect ask for; values are not shown. */
export function wireDifferences({ expected, recorded, basePath, mayAddQuery }: WireComparison): string[] {
  const [only, ...others] = withoutExpired(recorded);
  if (only === undefined || others.length > 0) {
    const seen = recorded.map(({ method, answer }) => `${method} ${answer?.status ?? 'no answer'}`);
    return [`wire: ${recorded.length} requests instead of one (${seen.join(', ')})`];
  }
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

/**
 * A token may live for seconds, so that on a busy machine it expires between the gateway and the partner: what was refused
 * with 401 and was then sent with another token is one request (partner-api.md section 5).
 */
function withoutExpired(recorded: readonly RecordedExchange[]): readonly RecordedExchange[] {
  const [first, second] = recorded;
  const isRenewed = second !== undefined && second.headers.authorization !== first?.headers.authorization;
  return isRenewed && first?.answer?.status === 401 ? recorded.slice(1) : recorded;
}

/** What JSON makes of it. */
function asSent(body: unknown): unknown {
  return body === undefined ? undefined : (JSON.parse(JSON.stringify(body)) as unknown);
}

function pick(values: Record<string, string>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
}
