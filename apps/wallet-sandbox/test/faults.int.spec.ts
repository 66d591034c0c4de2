import { walletPassSchema } from '../src/contract/wallet-pass.js';
import { faultKinds } from '../src/faults/fault-kinds.js';
import { type EndpointCase, everyCase, sendCase } from './every-endpoint.js';
import type { Reply } from './sandbox-client.js';
import { useSandbox } from './use-sandbox.js';

/** What a caller sees of one call; `broken`: the connection ended before the answer did. */
type Seen = { readonly status: number; readonly reply: Reply } | { readonly status: 'broken' };

interface Expectation {
  /** The settings of the rule. */
  readonly rule?: object;
  readonly status: number | 'broken';
  readonly effects: (endpoint: EndpointCase) => number;
  readonly also?: (reply: Reply, endpoint: EndpointCase) => void;
}

const none = (): number => 0;
const all = ({ effects }: EndpointCase): number => effects;
const ok = { status: 200, effects: all };

/** A pass of the one member of the program that the request does not name, or of an invented one. */
function expectStranger({ json }: Reply, { target, body }: EndpointCase): void {
  const pass = walletPassSchema.parse(json);
  const asked = /m_\d/.exec(`${target} ${JSON.stringify(body)}`)?.[0];
  const others = asked === 'm_2' && target.includes('2001') ? /^m_1$/ : /^stranger-\d+$/;
  expect(pass.passdata.metaData?.['memberId']).toMatch(others);
  expect([pass.downloadUrl, pass.downloadUrlApple].every((url) => url.includes(pass.serialNumber))).toBe(true);
}

/** Every kind, once for every operation that it makes sense for, with each of its settings. */
const expectations: Readonly<Record<string, Expectation | readonly Expectation[]>> = {
  latency: { ...ok, rule: { ms: 5 } },
  'slow-headers': { ...ok, rule: { ms: 20 } },
  'slow-body': { ...ok, rule: { ms: 20 } },
  'too-many': { status: 429, effects: none, also: ({ headers }) => expect(headers.has('retry-after')).toBe(false) },
  'error-before': { status: 503, effects: none, rule: { status: 503 } },
  'error-after': { status: 502, effects: all, rule: { status: 502 } },
  'drop-before': { status: 'broken', effects: none },
  'drop-after': { status: 'broken', effects: all },
  'commit-late': { status: 'broken', effects: all, rule: { ms: 30 } },
  'commit-twice': { status: 200, effects: ({ effectsOfTwo }) => effectsOfTwo },
  unauthorized: { status: 401, effects: none },
  redirect: { status: 302, effects: none, also: ({ headers }) => expect(headers.get('location')).toMatch(/invalid/) },
  'redirect-after': {
    status: 307,
    effects: all,
    rule: { status: 307, location: 'https://example.invalid/there' },
    also: ({ headers }) => expect(headers.get('location')).toBe('https://example.invalid/there'),
  },
  garbage: { ...ok, also: ({ text }) => expect(text).toContain('<html>') },
  empty: { ...ok, also: ({ text }) => expect(text).toBe('') },
  truncated: { status: 'broken', effects: all },
  oversized: { ...ok, rule: { bytes: 300_000 }, also: ({ json }) => expect(json['padding']).toHaveLength(300_000) },
  'token-down': { status: 503, effects: none },
  'stale-lookup': { status: 200, effects: none, rule: { ms: 0 } },
  'not-unique': ok,
  message: ok,
  gzip: { ...ok, also: ({ headers }) => expect(headers.get('content-encoding')).toBe('gzip') },
  'other-charset': { ...ok, also: ({ headers }) => expect(headers.get('content-type')).toMatch(/charset=ISO-8859-1$/) },
  hollow: [
    { ...ok, rule: { applies: true, wording: 0 }, also: ({ text }) => expect(text).toBe('{}') },
    { status: 202, effects: none, rule: { applies: false, status: 202 } },
  ],
  foreign: [
    { ...ok, rule: { applies: true }, also: expectStranger },
    { status: 200, effects: none, rule: { applies: false }, also: expectStranger },
  ],
  'maintenance-page': [
    { status: 200, effects: none, rule: { wording: 0 }, also: ({ text }) => expect(text).toContain('<html>') },
    {
      status: 200,
      effects: none,
      rule: { wording: 2 },
      also: ({ text }) => expect(text).toBe('{"status":"maintenance"}'),
    },
    { status: 202, effects: none, rule: { status: 202 } },
  ],
  'already-busy': [
    {
      status: 409,
      effects: none,
      rule: { wording: 0 },
      also: ({ text }) => expect(text).toContain('already being processed'),
    },
    { status: 422, effects: none, rule: { wording: 3 }, also: ({ text }) => expect(text).toContain('already ended') },
  ],
  otherwise: [
    { ...ok, rule: { applies: true, wording: 0 }, also: ({ json }) => expect(json['amount']).toBe(0.07) },
    {
      ...ok,
      effects: none,
      rule: { applies: false, wording: 2 },
      also: ({ json }) => expect(json).toMatchObject({ transactionTypeId: 999_999 }),
    },
  ],
  'failed-duplicate': [
    { status: 400, effects: none, rule: { wording: 0 }, also: ({ text }) => expect(text).toContain('DECLINED') },
    { status: 422, effects: none, rule: { wording: 3 }, also: ({ text }) => expect(text).toContain('approval') },
  ],
};

const cases = [...faultKinds.values()].flatMap(({ kind, operations }) =>
  everyCase
    .filter(({ operation }) => operations?.some((meant) => meant === operation) !== false)
    .flatMap((endpoint) => {
      const expected = [expectations[kind] ?? []].flat();
      if (expected.length === 0) throw new Error(`no expectation for ${kind}`);
      return expected.map((expectation) => {
        const rule = { operation: endpoint.operation, kind, ...expectation.rule };
        return { rule, endpoint, expectation };
      });
    }),
);

const fixture = useSandbox();
const { client } = fixture;

beforeEach(() => client.issue('m_1'));

async function see(call: Promise<Reply>): Promise<Seen> {
  try {
    const reply = await call;
    return { status: reply.status, reply };
  } catch {
    return { status: 'broken' };
  }
}

/** Ledger entries beside the pass that was there before; waits until there are so many. */
async function effectsBeside(expected: number): Promise<number> {
  let entries = await client.ledger();
  while (entries.length - 1 < expected) entries = await client.ledger();
  return entries.length - 1;
}

it.each(cases)('$rule', async ({ rule, endpoint, expectation }) => {
  const plan = await client.faults([rule]);
  expect(plan.status).toBe(200);
  const seen = await see(sendCase(client, endpoint));
  expect(seen.status).toBe(expectation.status);
  if (seen.status !== 'broken') expectation.also?.(seen.reply, endpoint);
  expect(await effectsBeside(expectation.effects(endpoint))).toBe(expectation.effects(endpoint));
  const { rules } = (await client.send('GET /__faults')).json as { rules: object[] };
  expect(rules).toMatchObject([{ seen: 1, struck: 1 }]);
});
