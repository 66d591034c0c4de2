import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

import { z } from 'zod';

import { hookSchema } from '#contracts';
import type { DoorSource } from '#door';
import type { Admin, OutgoingRecord, Producer } from '#kafka';
import { KafkaDriver } from '#kafka';
import { createLogger } from '#platform';
import type { Chance } from '#shop';
import { ShopDoor } from '#test-support/door';

import { Finding, type FuzzTarget, joinHead, jsonOf, mustHold, splitHead } from '../fuzz-target.js';
import { mutateBytes, mutateJson, planted } from '../mutate.js';

/** The machine may be busy with other things; an answer that comes at all comes long before. */
const answerMsMax = 30_000;
/** So long the door waits for a Kafka that says nothing. */
const acknowledgedMsMax = 20;
const batchEventsMax = 500;
const keyCharsMax = 256;

const completed = 'loyalty.purchase.completed.v1';
const secret = 'hush-0123456789abcdef';
const adyenSecret = Buffer.from(secret).toString('hex');
const squareUrl = 'https://shop.example/square';

const kafkaMoods = ['there', 'away', 'silent'] as const;
type KafkaMood = (typeof kafkaMoods)[number];

/** Kafka that takes everything, refuses to be connected to, or never answers. */
class MoodyKafka extends KafkaDriver {
  mood: KafkaMood = 'there';
  readonly written: OutgoingRecord[] = [];

  consumer(): never {
    throw new Error('the door reads nothing');
  }

  producer(): Promise<Producer> {
    if (this.mood === 'away') return Promise.reject(Object.assign(new Error(planted), { code: 'ECONNREFUSED' }));
    return Promise.resolve({ send: this.send, close: () => Promise.resolve() });
  }

  admin(): Admin {
    const brokers = (): ReturnType<Admin['brokers']> => Promise.resolve([{ host: 'kafka', port: 9_092 }]);
    return { brokers } as Admin;
  }

  private readonly send: Producer['send'] = (records) => {
    if (this.mood === 'silent') return Promise.withResolvers<never>().promise;
    if (this.mood === 'away') return Promise.reject(new Error(planted));
    return Promise.resolve(
      records.map(({ topic, records: own }) => {
        const firstOffset = this.written.length;
        this.written.push(...own);
        return { topic, partition: 0, firstOffset, appendedAt: null };
      }),
    );
  };
}

const hookNames = ['shopify', 'square', 'stripe', 'hmac', 'adyen', 'unread'] as const;
type HookName = (typeof hookNames)[number];

function sourcesIn(folder: string): DoorSource[] {
  const plain = { topic: 'topic', types: [completed], programs: ['main'], isCloudEvents: true, key: null, hook: null };
  const signed = (name: HookName, more: object, file = 'secret'): DoorSource => {
    const hook = hookSchema.parse({ secretFiles: [join(folder, file)], ...more });
    return { ...plain, name, isCloudEvents: false, key: '$string(customer.id)', hook };
  };
  return [
    { ...plain, name: 'tills' },
    { ...plain, name: 'web', key: '$uppercase(data.memberId)' },
    signed('shopify', { scheme: 'shopify', headers: ['x-kept', 'x-shopify-topic'] }),
    signed('square', { scheme: 'square', url: squareUrl }),
    signed('stripe', { scheme: 'stripe' }),
    signed('hmac', { scheme: 'hmac', header: 'x-sig', encoding: 'hex', prefix: 'sha256=' }),
    signed('adyen', { scheme: 'adyen' }, 'adyen'),
    signed('unread', { scheme: 'shopify' }, 'none'),
  ];
}

/** A request as it is sent, beside its body; signatures are made of the body when it is sent. */
const askedSchema = z.object({
  method: z.string().regex(/^[A-Z]{3,7}$/),
  /** Below `/api/v1`. */
  path: z.string().regex(/^\/[\x21-\x22\x24-\x7e]*$/),
  headers: z.record(z.string(), z.string()),
  /** Name of the producer whose token is shown; null: none is. */
  by: z.string().nullable(),
  /** As which vendor it is signed. */
  as: z.enum(hookNames).nullable(),
  kafka: z.enum(kafkaMoods),
});
type Asked = z.output<typeof askedSchema>;

const mac = (text: string | Buffer, encoding: 'hex' | 'base64', before = ''): string =>
  createHmac('sha256', secret).update(before).update(text).digest(encoding);

function signature(as: HookName | null, body: Buffer): Record<string, string> {
  const seconds = String(Math.floor(Date.now() / 1_000));
  switch (as) {
    case 'shopify':
    case 'unread':
      return { 'x-shopify-hmac-sha256': mac(body, 'base64') };
    case 'square':
      return { 'x-square-hmacsha256-signature': mac(body, 'base64', squareUrl) };
    case 'stripe':
      return { 'stripe-signature': `t=${seconds},v1=${mac(body, 'hex', `${seconds}.`)}` };
    case 'hmac':
      return { 'x-sig': `sha256=${mac(body, 'hex')}` };
    // Its signature stands in the body.
    case 'adyen':
    case null:
      return {};
  }
}

/** What Node's client sends: a head that breaks the protocol is looked at elsewhere. */
function sendable(headers: Readonly<Record<string, string>>): Record<string, string> {
  const isSendable = ([name, value]: [string, string]): boolean =>
    /^[!#$%&'*+.^_`|~\w-]+$/.test(name) &&
    /^[\t\x20-\x7e\x80-\xff]*$/.test(value) &&
    !/^(?:host|connection|content-length|transfer-encoding|expect|upgrade|trailer|te)$/i.test(name);
  return Object.fromEntries(Object.entries(headers).filter(isSendable));
}

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function send(base: string, asked: Asked, body: Buffer): Promise<Answered | null> {
  const { method, path, by, as } = asked;
  const token = by === null ? {} : { authorization: `Bearer ${by}-token` };
  const headers = { ...signature(as, body), ...token, ...sendable(asked.headers) };
  return new Promise((resolve, reject) => {
    const options = { agent, method, headers: { ...headers, 'content-length': body.byteLength } };
    const sent = request(`${base}/api/v1${path}`, options, (response) => {
      const { statusCode: status = 0, headers: told } = response;
      buffer(response).then((read) => resolve({ status, headers: told, body: read }), reject);
    });
    sent.setTimeout(answerMsMax, () => sent.destroy(new Finding(`no answer within ${answerMsMax} ms`)));
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // Whoever sends too much is cut off, perhaps before the refusal was read.
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve(null);
      else reject(error);
    });
    sent.end(body);
  });
}

/** Only Kafka, or a secret that cannot be read, keeps the door from answering, and it says until when. */
function judgeAway({ kafka, path }: Asked, { status, headers, body }: Answered): void {
  const shown = { kafka, path, status, body: body.toString().slice(0, 500) };
  const isAway = status === 503 && (kafka !== 'there' || path.startsWith('/hooks/unread'));
  mustHold(status < 500 || isAway, 'a defect of ours', shown);
  mustHold(status !== 503 || headers['retry-after'] !== undefined, 'away, and not until when', shown);
}

/** Nothing of what was sent stands where it could be taken for something of ours: in a header, or in what is no JSON. */
function judgeShape({ method }: Asked, { status, headers, body }: Answered): void {
  const text = body.toString();
  const shown = { status, headers, body: text.slice(0, 500) };
  const told = Object.entries(headers).filter(([name]) => name !== 'x-request-id');
  mustHold(!JSON.stringify(told).includes(planted), 'a header quotes what was sent', shown);
  mustHold(!text.includes(secret) && !text.includes('-token'), 'a secret is shown', shown);
  const type = String(headers['content-type'] ?? '');
  if (!/^application\/(?:problem\+)?json(?:;|$)/.test(type)) {
    mustHold(text === '' || text === '[accepted]', 'an answer that is no JSON', shown);
    return;
  }
  if (method === 'HEAD') return;
  mustHold(jsonOf(body) !== undefined, 'it says JSON, and is none', shown);
  if (status < 400) return;
  const problem = jsonOf(body) as { readonly type?: unknown; readonly status?: unknown };
  const isWhole = String(problem.type).startsWith('urn:loyaltyd:problem:') && problem.status === status;
  mustHold(isWhole && type.startsWith('application/problem+json'), 'a problem that does not say what it should', shown);
}

const isKeyed = ({ key }: OutgoingRecord): boolean =>
  typeof key === 'string' && key !== '' && key.trim() === key && key.length <= keyCharsMax;

function isSigned({ path, as }: Asked, body: Buffer): boolean {
  const [, , name] = path.split(/[/?]/);
  if (name === 'adyen') return body.includes(adyenSignature);
  return as !== null && name === (as === 'unread' ? 'shopify' : as);
}

/** What is taken is let in by a token or a signature, and lies in Kafka as it came, with its key, and without what let it in. */
function judgeTaken(
  asked: Asked,
  sent: Buffer,
  { status, written }: { status: number; written: OutgoingRecord[] },
): void {
  const shown = { ...asked, status, written: written.length };
  if (status !== 202) {
    // Of a batch for several sources one may be there already; here each has Kafka in the same mood.
    mustHold(written.length === 0, 'refused, and written all the same', shown);
    return;
  }
  mustHold(asked.kafka === 'there', 'taken, while Kafka has not acknowledged it', shown);
  mustHold(written.length >= 1 && written.length <= batchEventsMax, 'taken, and not written', shown);
  const isLetIn = asked.path.startsWith('/hooks/')
    ? isSigned(asked, sent)
    : ['till', 'both'].includes(String(asked.by));
  mustHold(isLetIn, 'let in without the right to', shown);
  mustHold(written.every(isKeyed), 'a record without a key', shown);
  const kept = JSON.stringify(written.map(({ headers }) => headers));
  mustHold(!/authorization|-token|hmac/i.test(kept), 'a record holds what let it in', kept.slice(0, 500));
  const isBatch = String(asked.headers['content-type']).includes('batch');
  if (!isBatch) mustHold(sent.equals(Buffer.from(written[0]?.value ?? '')), 'not written as it came', shown);
}

const sale = (data: object = {}): object => ({
  ...{ specversion: '1.0', id: 'e-1', source: '/pos/1', type: completed, time: '2026-11-21T10:15:04+01:00' },
  data: { program: 'main', memberId: 'm_1', purchaseId: 'B07', ...data },
});
const order = { id: '1001', customer: { id: 7_741 }, total: '59.90' };
const adyenFields = ['8515131751004933', '', 'Shop', 'B07', '5999', 'EUR', 'AUTHORISATION', 'true'];
const adyenSignature = createHmac('sha256', Buffer.from(adyenSecret, 'hex'))
  .update(adyenFields.join(':'))
  .digest('base64');
const adyenItem = {
  ...{ pspReference: '8515131751004933', merchantAccountCode: 'Shop', merchantReference: 'B07' },
  ...{ amount: { value: 5_999, currency: 'EUR' }, eventCode: 'AUTHORISATION', success: 'true' },
  additionalData: { hmacSignature: adyenSignature },
};
const adyenBody = { customer: { id: 7 }, notificationItems: [{ NotificationRequestItem: adyenItem }] };

const structured = { 'content-type': 'application/cloudevents+json' };
const binary = {
  ...{ 'content-type': 'application/json', 'ce-specversion': '1.0', 'ce-id': 'e-1', 'ce-source': '/pos/%C3%BC' },
  'ce-type': completed,
};
const base: Asked = { method: 'POST', path: '/events', headers: structured, by: 'till', as: null, kafka: 'there' };

/** What is right as it stands, or nearly. */
const wellFormed: readonly (readonly [Asked, unknown])[] = [
  [base, sale()],
  [{ ...base, by: 'both', path: '/events?source=web' }, sale({ memberId: 'm_ü' })],
  [{ ...base, by: 'both' }, sale()],
  [
    { ...base, headers: binary },
    { program: 'main', purchaseId: 'B07' },
  ],
  [{ ...base, headers: { 'content-type': 'application/cloudevents-batch+json' } }, [sale(), sale({ memberId: 'm_2' })]],
  ...hookNames.map((name): [Asked, unknown] => [
    { ...base, path: `/hooks/${name}`, headers: { 'x-kept': planted }, by: null, as: name },
    name === 'adyen' ? adyenBody : order,
  ]),
];

const samples: readonly Buffer[] = wellFormed.flatMap(([asked, body]) =>
  kafkaMoods.map((kafka) => joinHead({ ...asked, kafka }, Buffer.from(JSON.stringify(body)))),
);

const words: readonly string[] = [
  ...[
    'specversion',
    'id',
    'source',
    'type',
    'data',
    'program',
    'memberId',
    'purchaseId',
    'customer',
    'main',
    completed,
  ],
  ...['notificationItems', 'NotificationRequestItem', 'additionalData', 'hmacSignature', 'amount', 'datacontenttype'],
];

const oddHeaders: readonly Readonly<Record<string, string>>[] = [
  ...['text/plain', 'application/json; charset=utf-16', 'application/cloudevents+avro', 'multipart/form-data', ''].map(
    (type) => ({ 'content-type': type }),
  ),
  ...['application/cloudevents+json; charset="utf-8"', 'APPLICATION/CloudEvents+JSON', ';;', planted].map((type) => ({
    'content-type': type,
  })),
  ...['%', '%00', '"', '"a\\', 'ü', 'a, b', '%E2%82', 'a'.repeat(6_000), '', planted].map((id) => ({ 'ce-id': id })),
  ...['0.3', '1.0, 1.0', planted].map((version) => ({ 'ce-specversion': version })),
  { [`ce-${'a'.repeat(65)}`]: 'x' },
  { 'ce-__proto__': planted },
  { 'ce-data': planted },
  ...['Bearer', 'Basic YTpi', `Bearer ${planted}`, 'Bearer admin-token', 'Bearer till-token, Bearer x'].map(
    (value) => ({
      authorization: value,
    }),
  ),
  ...['gzip', 'br', planted].map((coding) => ({ 'content-encoding': coding })),
  ...[planted, 'a b', 'x'.repeat(300)].map((id) => ({ 'x-request-id': id })),
  ...['t=,v1=', `t=1,t=2,v1=${'0'.repeat(64)}`, `t=${'9'.repeat(13)}`, planted].map((text) => ({
    'stripe-signature': text,
  })),
  ...['sha256=', `sha256=${'f'.repeat(64)}`, planted].map((text) => ({ 'x-sig': text })),
  { 'x-forwarded-for': planted },
  { 'x-kept': 'é'.repeat(2_000) },
];

const oddPaths: readonly string[] = [
  ...[
    '/hooks/',
    '/hooks/nobody',
    '/hooks/__proto__',
    '/hooks/SHOPIFY',
    `/hooks/${planted}`,
    `/hooks/${'a'.repeat(9_000)}`,
  ],
  ...['/hooks/%2e%2e', '/hooks/shopify/x', '/events/', `/events?source=${planted}`, '/events?source=&source=tills'],
  ...['/events?source[]=tills', '/events?source=%', `/${planted}`, '/events?__proto__=x', '/hooks/tills'],
];

function changedHead(asked: Asked, chance: Chance): Asked {
  return {
    method: chance.happens(0.03) ? chance.pick(['GET', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH']) : asked.method,
    path: chance.happens(0.1) ? chance.pick(oddPaths) : asked.path,
    headers: chance.happens(0.4) ? { ...asked.headers, ...chance.pick(oddHeaders) } : asked.headers,
    by: chance.happens(0.1) ? chance.pick([null, 'till', 'both', 'typed', 'nobody']) : asked.by,
    as: chance.happens(0.1) ? chance.pick([null, ...hookNames]) : asked.as,
    kafka: chance.weighted({ there: 90, away: 8, silent: 2 }),
  };
}

function changedBody(body: Buffer, chance: Chance): Buffer {
  if (chance.happens(0.3)) return body;
  if (chance.happens(0.005)) return Buffer.alloc(1024 * 1024 + chance.below(3), '[');
  const json = jsonOf(body);
  if (json === undefined || chance.happens(0.3)) return mutateBytes(body, chance, words);
  return Buffer.from(JSON.stringify(mutateJson(json, chance, words)));
}

/** What may be asked, repeated or cut down; null where it is no request any more. */
function askedOf(input: Buffer): { readonly asked: Asked; readonly body: Buffer } | null {
  const split = splitHead(input);
  const read = askedSchema.safeParse(split?.head);
  return split !== null && read.success ? { asked: read.data, body: split.body } : null;
}

function makeInput(chance: Chance, pool: readonly Buffer[]): Buffer {
  const from = chance.happens(0.6) || pool.length === 0 ? chance.pick(samples) : chance.pick(pool);
  const read = askedOf(from) ?? askedOf(chance.pick(samples));
  if (read === null) return from;
  return joinHead(changedHead(read.asked, chance), changedBody(read.body, chance));
}

/** The door over HTTP with a Kafka that is there, away or silent. On this machine's loopback only. */
export async function httpDoorTarget(): Promise<FuzzTarget> {
  const folder = mkdtempSync(join(tmpdir(), 'loyaltyd-fuzz-door-'));
  writeFileSync(join(folder, 'secret'), secret);
  writeFileSync(join(folder, 'adyen'), adyenSecret);
  const driver = new MoodyKafka();
  const many = 1_000_000_000;
  const door = await ShopDoor.open({
    ...{ connection: () => ({ brokers: ['kafka:9092'] }), driver, sources: sourcesIn(folder) },
    producers: [
      { name: 'till', sources: ['tills'] },
      { name: 'both', sources: ['tills', 'web'] },
      { name: 'typed', sources: ['tills'], types: ['loyalty.purchase.refunded.v1'] },
    ],
    logger: createLogger({ level: 'silent', service: 'fuzz' }),
    limits: { acknowledgedMsMax, requestsPerSecond: many, burstMax: many },
  });
  const judge = async (input: Buffer): Promise<string> => {
    const read = askedOf(input);
    if (read === null) return 'no request';
    const { asked, body } = read;
    driver.mood = asked.kafka;
    driver.written.length = 0;
    const answer = await send(door.url, asked, body);
    if (answer === null) return 'cut off';
    const { status } = answer;
    judgeAway(asked, answer);
    judgeShape(asked, answer);
    judgeTaken(asked, body, { status, written: [...driver.written] });
    const problem = jsonOf(answer.body) as { readonly type?: unknown } | undefined;
    const [path = ''] = asked.path.split('?');
    return `${path.slice(0, 20)} ${status} ${status < 400 ? 'taken' : String(problem?.type)}`;
  };
  const close = async (): Promise<void> => {
    agent.destroy();
    await door.close();
    rmSync(folder, { recursive: true });
  };
  return { name: 'http-door', samples, make: makeInput, judge, close };
}
