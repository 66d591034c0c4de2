import type { ObservationName } from '../reading/specification.js';
import type { GatewayAccess, GatewayLine } from './gateway-line.js';
import type { RecordedExchange } from './recording-proxy.js';

/** What is seen on the wire of what the gateway keeps to itself. Holds no secret: it says whether one was sent. */
export async function observe(
  name: ObservationName,
  line: GatewayLine,
  { access, ask }: { readonly access: GatewayAccess; readonly ask: () => Promise<string> },
): Promise<unknown> {
  await line.forget();
  line.take();
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

function countsSeen(line: GatewayLine, verdict: string): unknown {
  const { calls, tokens } = line.take();
  return { calls: calls.length, tokens: tokens.length, verdict, lastStatus: calls.at(-1)?.answer?.status };
}

function tokenSeen(line: GatewayLine, access: GatewayAccess, verdict: string): unknown {
  const { calls, tokens } = line.take();
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
