import type { HttpRequest, HttpResult } from '#gateway';

import type { Chance } from '#shop';

/** The wallet operations that these worlds know, by the names of contracts.md section 5 and the ledger. */
export type CallName =
  | 'token'
  | 'lookup'
  | 'list'
  | 'issue'
  | 'issue-via-workflow'
  | 'update-via-workflow'
  | 'schedule-update'
  | 'reward'
  | 'transaction';

/** A request as the partner reads it. */
export interface PartnerCall {
  readonly name: CallName;
  readonly program: string | null;
  readonly uniqueId: string | null;
  /** Workflow, reward or transaction type. */
  readonly target: string | null;
  readonly body: Readonly<Record<string, unknown>>;
  readonly token: string | null;
}

interface Route {
  readonly name: CallName;
  readonly method: string;
  /** Groups: program, target. */
  readonly path: RegExp;
}

const base = String.raw`^/brands/\d+/programs/(?<program>\d+)`;

const routes: readonly Route[] = [
  { name: 'lookup', method: 'GET', path: new RegExp(`${base}/wallets$`) },
  { name: 'list', method: 'GET', path: new RegExp(`${base}/wallet-passes$`) },
  { name: 'issue', method: 'POST', path: new RegExp(`${base}/issue-wallet$`) },
  { name: 'update-via-workflow', method: 'POST', path: new RegExp(`${base}/workflows/(?<target>\\d+)/wallet-passes$`) },
  { name: 'schedule-update', method: 'PATCH', path: new RegExp(`${base}/wallets/schedule$`) },
  { name: 'reward', method: 'POST', path: new RegExp(`${base}/rewards/(?<target>\\d+)/wallet-pass$`) },
  {
    name: 'transaction',
    method: 'POST',
    path: new RegExp(`${base}/transaction-types/(?<target>\\d+)/transactions$`),
  },
];

/** The workflow that issues; any other changes a pass. */
const enrolmentWorkflow = '77';

const tokenCall: PartnerCall = { name: 'token', program: null, uniqueId: null, target: null, body: {}, token: null };

/** @throws for a request that no partner would understand: a defect of ours */
export function readCall(request: Pick<HttpRequest, 'method' | 'path' | 'headers' | 'body'>): PartnerCall {
  const [pathname = '', search = ''] = request.path.split('?');
  if (pathname.endsWith('/oauth2/token')) return tokenCall;
  const { name, program, target } = routed(request.method, pathname);
  const body = bodyOf(request);
  return {
    name,
    program,
    uniqueId: new URLSearchParams(search).get('unique_id') ?? bodyId(body),
    target,
    body,
    token: request.headers['authorization']?.replace(/^Bearer /, '') ?? null,
  };
}

function routed(method: string, pathname: string): Pick<PartnerCall, 'name' | 'program' | 'target'> {
  for (const { name, method: wanted, path } of routes) {
    const groups = method === wanted ? path.exec(pathname)?.groups : undefined;
    if (groups === undefined) continue;
    const { program = null, target = null } = groups;
    return { name: target === enrolmentWorkflow ? 'issue-via-workflow' : name, program, target };
  }
  throw new Error(`the partner knows no ${method} ${pathname}`);
}

function bodyOf({ body }: Pick<HttpRequest, 'body'>): PartnerCall['body'] {
  return body === null || body === '' ? {} : (JSON.parse(body) as PartnerCall['body']);
}

interface IdentifiedBody {
  readonly passdata?: { readonly metaData?: { readonly memberId?: string } };
  readonly filters?: { readonly unique_id?: string };
}

function bodyId(body: IdentifiedBody): string | null {
  return body.passdata?.metaData?.memberId ?? body.filters?.unique_id ?? null;
}

type LostBy = 'reset' | 'truncated' | 'malformed' | 'timeout' | 'response-too-large';

/** A complete answer. */
export function answered(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): HttpResult {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    phase: 'answered',
    error: null,
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(text),
  };
}

/** Handed to a socket, and no complete answer came back. */
export function lost(error: LostBy, status: number | null = null): HttpResult {
  return { phase: 'sent', error, status, headers: {}, body: Buffer.alloc(0) };
}

export function neverConnected(chance: Chance): HttpResult {
  const error = chance.pick(['dns-failure', 'connection-refused', 'connect-timeout', 'tls-failure'] as const);
  return { phase: 'not-sent', error, status: null, headers: {}, body: Buffer.alloc(0) };
}

export function tooMany(chance: Chance, nowMs: number): HttpResult {
  const seconds = chance.between(1, 4);
  const headers = chance.pick<Readonly<Record<string, string>>>([
    {},
    { 'retry-after': String(seconds) },
    { 'retry-after': new Date(nowMs + seconds * 1_000).toUTCString() },
  ]);
  return answered(429, { message: 'Too many requests' }, headers);
}

export function serverError(chance: Chance): HttpResult {
  const status = chance.pick([500, 502, 503, 504, 408]);
  return answered(status, chance.pick<unknown>([{ message: 'Internal error' }, '<html>Bad gateway</html>', '']));
}
