import {
  createGateway,
  DialectRegistry,
  GatewayError,
  type AttemptReport,
  type CallOptions,
  type HttpRequest,
  type HttpResult,
  type HttpTransport,
  type Partner,
} from '#gateway';
import type { Chance } from '#shop';
import { VirtualClock } from '#test-support';

import { joinHead, jsonOf, mustHold, splitHead, type FuzzTarget } from '../fuzz-target.js';
import { mutateBytes, mutateJson } from '../mutate.js';

const secrets = { clientSecret: 'planted-client-secret-5e1f', token: 'planted-access-token-9d3e' };
const options: CallOptions = { timeoutMs: 30_000 };
const messageCharsMax = 1_000;
const evidenceBytesMax = 16_384;
const listedPagesMax = 3;

const member = { brandId: '101', programId: '2001', uniqueId: 'm_81273', uniqueIdKey: 'memberId' };
const receipt = 'B07-000118';
const content = { person: { email: 'ada@example.org' }, tierId: 2 };
const sale = {
  operation: 'transaction',
  ...{
    ...member,
    transactionTypeId: '31',
    amount: '59.99',
    uniqueAttribute: { name: 'receipt', value: receipt, enforced: true },
  },
  ...{ transactionDate: '2026-11-21T09:15:04.000Z', attributes: { receipt, store: 'berlin-07' } },
} as const;
const schedule = { ...member, scheduledName: 'spring', at: { timestampMs: 4_102_444_800_000 } };

/** What an answer must show to be a yes; from partner-api.md sections 4.2 to 4.13 and nothing of ours. */
type Proof = 'pass' | 'transaction' | 'schedule' | 'object';

interface Attempt {
  readonly proof: Proof;
  readonly needsPass: boolean;
  readonly call: (partner: Partner) => Promise<AttemptReport<unknown>>;
}

const attempts: Readonly<Record<string, Attempt>> = {
  issue: {
    proof: 'pass',
    needsPass: false,
    call: (partner) => partner.send({ ...member, operation: 'issue', content }, options),
  },
  workflow: {
    proof: 'pass',
    needsPass: false,
    call: (partner) =>
      partner.send({ ...member, operation: 'update-via-workflow', workflowId: '78', content }, options),
  },
  schedule: { proof: 'schedule', needsPass: false, call: (partner) => partner.scheduleUpdate(schedule, options) },
  reward: {
    proof: 'pass',
    needsPass: true,
    call: (partner) => partner.send({ ...member, operation: 'reward', rewardId: '9001' }, options),
  },
  transaction: { proof: 'transaction', needsPass: true, call: (partner) => partner.send(sale, options) },
  template: {
    proof: 'object',
    needsPass: false,
    call: (partner) =>
      partner.createTemplate({ brandId: '101', programId: '2001', name: 'Card', passType: 'storeCard' }, options),
  },
  brand: {
    proof: 'object',
    needsPass: false,
    call: (partner) => partner.updateBrand({ brandId: '101', name: 'Coffee' }, options),
  },
};
const readings = ['find', 'count', 'list'];
const calls = [...Object.keys(attempts), ...readings];

const pass = {
  ...{ passId: 7, serialNumber: 's-7', templateId: 11, personId: 'p-1', templateTierId: 2, currentMessage: 'Hello' },
  ...{
    passdata: { points: 10, optOut: false, metaData: { memberId: member.uniqueId } },
    statusCode: 'ACTIVE',
    status: 200,
  },
};
const transaction = {
  transactionId: 5,
  transactionTypeId: 31,
  amount: 59.99,
  transactionDate: '2026-11-21T09:15:04.000Z',
};

/** Bodies as documented, and as partners, proxies and their defects write them. */
const bodies: readonly unknown[] = [
  ...[
    pass,
    transaction,
    { message: 'The schedule was created' },
    { data: [pass], pageNumber: 1, pageSize: 500, totalCount: 1 },
  ],
  ...[
    { templateId: 12, name: 'Card' },
    { brandId: 101, name: 'Coffee', statusCode: 'ACTIVE' },
    [pass],
    { data: pass },
    {},
  ],
  { message: `receipt ${receipt} already exists` },
  { message: `unique constraint violated: receipt=${receipt}` },
  ...[{ message: 'Wallet pass not found' }, { message: 'Validation failed' }, { success: false, ...pass }],
  { ...pass, passdata: { metaData: { memberId: 'm_2' } } },
  ...[{ error: { message: 'no' }, transactionId: 5 }, { errors: [] }, { status: 'maintenance' }, 'OK', null, 7],
];

const statuses = [
  200, 201, 202, 204, 206, 299, 301, 302, 304, 400, 401, 403, 404, 408, 409, 413, 418, 422, 425, 429, 499, 500, 502,
  503, 504, 599,
];
const errors = {
  'not-sent': ['connection-refused', 'dns-failure', 'tls-failure', 'timeout', 'aborted', 'unsendable'],
  sent: ['reset', 'truncated', 'timeout', 'aborted', 'malformed', 'response-too-large'],
} as const;
const headerSets = [
  {},
  { 'retry-after': '120' },
  ...['-1', '1e9', 'Sat, 21 Nov 2026 10:00:30 GMT', '99999999999', 'soon', '\u0000'].map((text) => ({
    'retry-after': text,
  })),
  { 'content-type': 'text/html', __proto__: 'x' },
  ...['iso-8859-1', '"utf-8"', 'utf8mb4', ''].map((label) => ({ 'content-type': `application/json;charset=${label}` })),
  ...['gzip', 'br, gzip', 'identity', 'compress'].map((coding) => ({ 'content-encoding': coding })),
];
const words: readonly string[] = [
  ...[
    'passId',
    'serialNumber',
    'transactionId',
    'message',
    'passdata',
    'metaData',
    'memberId',
    'unique_id',
    'data',
    'success',
  ],
  ...[
    'ok',
    'error',
    'errors',
    'status',
    'statusCode',
    'result',
    'totalCount',
    'pageNumber',
    'm_81273',
    'm_2',
    receipt,
    'receipt',
  ],
  ...[
    'already exists',
    'has been taken',
    'not found',
    'duplicate',
    'being processed',
    'not stored',
    'wallet pass',
    'failed',
    'false',
  ],
  ...['ACTIVE', '<html>', 'access_token', 'expires_in', 'Bearer', 'undefined', '00000000-0000-0000-0000-000000000000'],
];

interface Head {
  readonly call: string;
  readonly phase: HttpResult['phase'];
  readonly error: HttpResult['error'];
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the token endpoint; null: as it should. */
  readonly token: { readonly status: number; readonly body: string } | null;
}

const plainHead: Head = { call: 'issue', phase: 'answered', error: null, status: 200, headers: {}, token: null };

/** An answer as bytes: a line with everything but its body, and the body. */
function inputOf(head: Head, body: unknown): Buffer {
  return joinHead(head, Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)));
}

function changedToken(chance: Chance): Head['token'] {
  const granted = { access_token: secrets.token, expires_in: 3_600, token_type: 'Bearer' };
  const body = JSON.stringify(chance.happens(0.8) ? mutateJson(granted, chance, words) : granted);
  return {
    status: chance.happens(0.6) ? 200 : chance.pick(statuses),
    body: chance.happens(0.1) ? body.slice(0, -1) : body,
  };
}

function changedHead(head: Head, chance: Chance): Head {
  const phase = chance.weighted({ answered: 90, sent: 6, 'not-sent': 4 });
  return {
    call: chance.happens(0.5) ? head.call : chance.pick(calls),
    phase,
    error: phase === 'answered' ? null : chance.pick(errors[phase]),
    status: phase === 'not-sent' ? null : chance.pick([head.status, 200, 400, chance.pick(statuses)]),
    headers: chance.happens(0.8) ? head.headers : chance.pick(headerSets),
    token: chance.happens(0.03) ? changedToken(chance) : null,
  };
}

function make(chance: Chance, pool: readonly Buffer[]): Buffer {
  const parts = splitHead(chance.pick(pool));
  const body = parts?.body ?? Buffer.alloc(0);
  const head = changedHead({ ...plainHead, ...parts?.head }, chance);
  const json = chance.happens(0.65) ? jsonOf(body) : undefined;
  if (chance.happens(0.1)) return inputOf(head, chance.pick(bodies));
  return inputOf(
    head,
    json === undefined ? mutateBytes(body, chance, words, pool) : (mutateJson(json, chance, words) ?? null),
  );
}

function headOf(head: object): Head | null {
  const read = { ...plainHead, ...head };
  const isStatus = read.status === null || Number.isInteger(read.status);
  return calls.includes(read.call) && isStatus ? read : null;
}

/** The answer that was made up, to whatever is asked. */
class ScriptedPartner implements HttpTransport {
  constructor(
    private readonly head: Head,
    private readonly body: Buffer,
  ) {}

  send({ path }: HttpRequest): Promise<HttpResult> {
    const { phase, error, status, headers, token } = this.head;
    if (!path.endsWith('/oauth2/token')) return Promise.resolve({ phase, error, status, headers, body: this.body });
    const granted = JSON.stringify({ access_token: secrets.token, expires_in: 3_600, token_type: 'Bearer' });
    const text = token?.body ?? granted;
    const answered = { phase: 'answered', error: null, headers: {} } as const;
    return Promise.resolve({ ...answered, status: token?.status ?? 200, body: Buffer.from(text) });
  }
}

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** As strict as JSON is; a mark of the byte order may stand before it, and a byte that is no UTF-8 within a text. */
function objectIn(body: Buffer): Json | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8').decode(body));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isId(value: unknown): boolean {
  return typeof value === 'number' ? value !== 0 : typeof value === 'string' && value.trim() !== '';
}

/** Whether the pass names another member than ours under our key. */
function isOthers({ passdata }: Json): boolean {
  const metaData = isObject(passdata) ? passdata['metaData'] : null;
  const named = isObject(metaData) && Object.hasOwn(metaData, 'memberId') ? metaData['memberId'] : null;
  return named !== null && named !== '' && ![member.uniqueId, Number(member.uniqueId)].includes(named as string);
}

function showsProof(proof: Proof, answer: Json): boolean {
  switch (proof) {
    case 'pass':
      return (isId(answer['passId']) || isId(answer['serialNumber'])) && !isOthers(answer);
    case 'transaction':
      return isId(answer['transactionId']);
    case 'schedule':
      return typeof answer['message'] === 'string' && answer['message'].trim() !== '';
    case 'object':
      return true;
    default:
      return proof satisfies never;
  }
}

interface Seen {
  readonly head: Head;
  readonly body: Buffer;
}

const isSuccess = ({ phase, status }: Head): boolean => phase === 'answered' && (status === 200 || status === 201);
const isRefusal = ({ phase, status }: Head): boolean =>
  phase === 'answered' && status !== null && status >= 400 && status < 500;

function judgeApplied({ proof }: Attempt, { head, body }: Seen): void {
  const answer = objectIn(body);
  mustHold(isSuccess(head), 'applied without a status of success', head);
  mustHold(answer !== null, 'applied without an object');
  mustHold(showsProof(proof, answer), 'applied without the documented proof', answer);
  mustHold(answer['success'] !== false, 'applied although it says that it failed', answer);
}

function judgeRejected(code: string, { needsPass }: Attempt, { head, body }: Seen): void {
  mustHold(['duplicate', 'no-such-pass', 'refused'].includes(code), 'a code of refusal that is not documented', code);
  mustHold(
    isRefusal(head) && ![401, 408, 429].includes(head.status ?? 0),
    'refused by an answer that is no refusal',
    head,
  );
  if (code === 'no-such-pass') mustHold(needsPass, 'no such pass, of a call that needs none');
  if (code !== 'duplicate' || !needsPass) return;
  const said = JSON.stringify(jsonOf(body) ?? body.toString()).toLowerCase();
  mustHold(said.includes(receipt.toLowerCase()), 'a duplicate that does not name the value', said.slice(0, 300));
}

function judgeAttempt(attempt: Attempt, report: AttemptReport<unknown>, seen: Seen): string {
  const { outcome, phase } = report;
  const { head } = seen;
  switch (outcome.kind) {
    case 'applied':
      judgeApplied(attempt, seen);
      break;
    case 'rejected':
      judgeRejected(outcome.code, attempt, seen);
      mustHold(outcome.message.length <= messageCharsMax, 'a message that is too long to be kept');
      break;
    case 'not-applied':
      mustHold(phase === 'not-sent' || isRefusal(head), 'not applied, though nothing says so', { outcome, head });
      break;
    case 'unknown':
      mustHold(phase !== 'not-sent', 'unknown, though nothing was sent', { outcome, head });
      break;
    default:
      outcome satisfies never;
  }
  if (outcome.kind !== 'applied') mustHold(report.value === null, 'a value of what was not applied');
  return `${outcome.kind} ${'code' in outcome ? outcome.code : ''} ${report.shapeAlarms.join(' ')}`;
}

/** What every report keeps to: it is stored, and shown. */
function judgeReport(report: object, { body }: Seen): void {
  const text = JSON.stringify(report);
  for (const [name, secret] of Object.entries(secrets)) {
    mustHold(body.includes(secret) || !text.includes(secret), `a report shows the ${name}`);
  }
  const { response } = ('evidence' in report ? report.evidence : report) as {
    readonly response?: { readonly body: string } | null;
  };
  mustHold(Buffer.byteLength(response?.body ?? '') <= evidenceBytesMax * 3, 'more is kept of an answer than is of use');
}

async function judgeReading(call: string, partner: Partner, seen: Seen): Promise<string> {
  const { head, body } = seen;
  if (call === 'list') return judgeListing(partner);
  const report = await (call === 'find'
    ? partner.findPass(member, options)
    : partner.countPasses({ ...member }, options));
  judgeReport(report, seen);
  switch (report.kind) {
    case 'found': {
      mustHold(isSuccess(head), 'found by an answer that is no success', head);
      // A list of matches may be read as one pass; which, is a setting.
      const one = objectIn(body);
      if (one !== null && !Array.isArray(one['data'])) {
        mustHold(showsProof('pass', one), 'found what is no pass of ours', one);
      }
      return `found ${report.shapeAlarms.join(' ')}`;
    }
    case 'absent':
      mustHold(isRefusal(head), 'absent by an answer that is no refusal', head);
      return 'absent';
    case 'counted':
      mustHold(isSuccess(head), 'counted by an answer that is no success', head);
      mustHold(Number.isSafeInteger(report.totalCount) && report.totalCount >= 0, 'no count', report.totalCount);
      return 'counted';
    case 'failed':
      return `failed ${report.stage} ${report.code}`;
    default:
      return report satisfies never;
  }
}

async function judgeListing(partner: Partner): Promise<string> {
  const listing = partner.listPasses({ brandId: '101', programId: '2001' }, { ...options, pagesMax: listedPagesMax });
  try {
    for await (const listed of listing) mustHold(isObject(listed), 'listed what is no pass', listed);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return `list ${error.message}`;
  }
  const { pages, shapeAlarms } = listing.summary;
  mustHold(pages <= listedPagesMax, 'a listing without an end', pages);
  return `list ${listing.summary.end} ${shapeAlarms.join(' ')}`;
}

/** Answers of any partner, through all that the gateway reads of them. */
export function partnerAnswerTarget(): FuzzTarget {
  const dialects = new DialectRegistry();
  const judge = async (input: Buffer): Promise<string> => {
    const parts = splitHead(input);
    const head = parts === null ? null : headOf(parts.head);
    if (parts === null || head === null) return 'no answer';
    const { partner } = createGateway({
      ...{ baseUrl: 'https://partner.example/brands', authUrl: 'https://partner.example', scope: 'admin', dialects },
      ...{ readCredentials: () => ({ clientId: 'c', clientSecret: secrets.clientSecret }), clock: new VirtualClock() },
      transport: new ScriptedPartner(head, parts.body),
    });
    const seen = { head, body: parts.body };
    const attempt = attempts[head.call];
    if (attempt === undefined) return `${head.call} ${await judgeReading(head.call, partner, seen)}`;
    const report = await attempt.call(partner);
    judgeReport(report, seen);
    return `${head.call} ${judgeAttempt(attempt, report, seen)}`;
  };
  const samples = calls.flatMap((call) =>
    [200, 400].flatMap((status) => bodies.map((body) => inputOf({ ...plainHead, call, status }, body))),
  );
  return { name: 'partner-answer', samples, make, judge };
}
