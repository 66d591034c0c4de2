import { publishedContracts, SOURCE_EVENT_SAMPLES } from '#events';
import type { PartnerCommand } from '#intents/core';

import { listChanges } from '../corrections/revise-command.js';
import type { ExportedFact } from '../jobs/kinds/export/export-repository.js';
import { toExportLine } from '../jobs/kinds/export/export-lines.js';
import type { ListedIntent } from '../intents/list-intents.js';
import { toIntentDetails, toPreviewView } from '../intents/intent-view.js';
import { showCorrected, showRecord } from '../quarantine/shown-record.js';
import type { Shape } from './mask-personal.js';
import { isMask, maskedText } from './mask-personal.js';
import { commandShape, evidenceShape, maskPass, maskPassValue, showCardLinks } from './shown-documents.js';

type Json = Readonly<Record<string, unknown>>;

const names = {
  programs: new Set(['coffee-club']),
  tiers: new Set(['basic', 'gold']),
  rewards: new Set(['free-coffee']),
};

const isNested = (value: unknown): value is Json => typeof value === 'object' && value !== null;

// Documents that say all that they can, and nothing that is personal.

/** Texts that mean something by where they stand. */
const texts: Json = {
  ...{ program: 'coffee-club', tier: 'gold', reward: 'free-coffee' },
  ...{ currency: 'EUR', expiryDate: '2027-12-31', status: 'ACTIVE' },
  validUntil: '2026-12-24T18:00:00+01:00',
};

/** A value of the schema with every field in it. */
function valueOf(schema: Json, name: string): unknown {
  const [option] = (schema['anyOf'] ?? schema['oneOf'] ?? []) as readonly Json[];
  if (option !== undefined) return valueOf(option, name);
  const [listed] = (schema['enum'] ?? []) as readonly unknown[];
  if (listed !== undefined) return listed;
  const [type] = [schema['type']].flat();
  switch (type) {
    case 'object': {
      const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Json>>);
      return Object.fromEntries(properties.map(([property, of]) => [property, valueOf(of, property)]));
    }
    case 'array':
      return [valueOf(schema['items'] as Json, name)];
    case 'boolean':
      return true;
    case 'string':
      return texts[name] ?? 'x-1';
    default:
      return 1;
  }
}

const types = Object.keys(SOURCE_EVENT_SAMPLES);

function dataOf(type: string): Json {
  const { properties } = publishedContracts().schemas[type] as { readonly properties: { readonly data: Json } };
  return { ...(valueOf(properties.data, '') as Json), memberId: 'm-1' };
}

const frame = {
  ...{ specversion: '1.0', id: 'e-1', source: '/pos/berlin-07/till-3', time: '2026-11-21T10:15:04+01:00' },
  ...{ datacontenttype: 'application/json; charset=utf-8', sequence: '17' },
};

const passdata = { optOut: false, points: 12, expiryDate: '2027-12-31', status: 'ACTIVE' };
const content = {
  ...{ person: { firstName: null }, passdata, tierId: 2, templateId: 11, smsSubscription: 200 },
};
const command = {
  ...{ operation: 'transaction', brandId: '101', programId: '2001', uniqueId: 'm-1', uniqueIdKey: 'memberId' },
  ...{ workflowId: '78', transactionTypeId: '31', rewardId: '9001', pointsDelta: -10, content },
  ...{ validUntil: '2026-12-24T17:00:00.000Z', offset: '+01:00' },
  ...{ amount: '-59.99', transactionDate: '2026-11-21T08:00:00.000Z', attributes: { receipt: null } },
  uniqueAttribute: { name: 'receipt', enforced: true },
};
const pass = {
  ...{ passId: 7, serialNumber: 'S-7', templateId: 11, templateTierId: 2, statusCode: 'ACTIVE', status: 200, passdata },
};
const call = {
  request: {
    ...{ method: 'POST', path: '/101/programs/2001/wallets?unique_id=m-1' },
    body: {
      ...{ person: {}, passdata, templateTierId: 2, templateId: 11, smsSubscription: 200, amount: 59.99 },
      ...{
        transactionDate: '2026-11-21T08:00:00Z',
        attributes: {},
        scheduledTimestamp: 1,
        filters: { unique_id: 'm' },
      },
    },
  },
  response: {
    ...{ status: 200, truncated: false },
    headers: {
      ...{ 'content-type': 'application/json', 'content-length': '17', 'retry-after': '5' },
      date: 'Sat, 21 Nov 2026 08:00:00 GMT',
      ...{ 'x-request-id': '7f0c1d2e-0000-4000-8000-1a2b3c4d5e6f', connection: 'keep-alive' },
      ...{ 'request-id': 'req-7f0c1d2e', 'x-correlation-id': 'corr-7f0c1d2e', 'correlation-id': 'corr-7f0c1d2e' },
      ...{ 'x-amzn-requestid': '7f0c1d2e-0000-4000-8000-1a2b3c4d5e6f', 'x-ms-request-id': '7f0c1d2e-0001' },
      ...{ 'cf-ray': '8f1a2b3c4d5e6f70-FRA' },
      'keep-alive': 'timeout=72',
    },
    body: {
      ...{ ...pass, transactionId: 1, transactionTypeId: 31, amount: 59.99, transactionDate: '2026-11-21T08:00:00Z' },
      ...{ data: [pass], pageNumber: 1, pageSize: 1, totalCount: 1 },
    },
  },
  durationMs: 5,
};
const evidence = {
  ...{ ...call, phase: 'answered', lookup: call, listed: 1, command, detail: 'data.total: required' },
  ...{ recovery: { forgottenBefore: 1, recordedAt: 1, producedAt: 1 }, listing: { job: 'j-1', page: 1 } },
  reread: { job: 'j-1', version: 1 },
};

// What shows them.

const intent = {
  ...{ laneId: 1, seq: 1, program: 'coffee-club', memberId: 'm-1', operation: 'transaction', status: 'parked' },
  ...{ reason: 'rejected', code: 'refused', fingerprint: null, since: 1, recordedAt: 1, occurredAt: 1, brokerAt: 1 },
  ...{ eventType: 'loyalty.purchase.completed.v1', source: null, storeId: null, purchaseId: null, amount: null },
  ...{
    currency: null,
    topic: 't',
    partition: 0,
    offset: 1,
    version: 1,
    position: 1,
    isErased: false,
    waitsForSeq: null,
  },
  programsHash: Buffer.alloc(1),
};

/** Bodies are kept as text. */
function withBodies(value: unknown, name = ''): unknown {
  if (name === 'body' && isNested(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return value.map((item) => withBodies(item));
  if (!isNested(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withBodies(member, key)]));
}

interface Contents {
  readonly command?: unknown;
  readonly sourceRecord?: { readonly headers: string; readonly value: string };
  readonly evidence?: unknown;
}

/** In the API and in a masked export. */
function showIntent(contents: Contents): string {
  const { command: sent = null, sourceRecord = null, evidence: kept = null } = contents;
  const event = { version: 2, type: 'AttemptRejected', at: 1, attempt: 1, data: {}, evidence: kept };
  const timeline = {
    recordedAt: 1,
    brokerAt: 1,
    programsHash: 'aa',
    isErased: false,
    command: sent,
    sourceRecord,
    traceparent: null,
    events: [event],
  };
  const preview = {
    kind: 'request',
    request: (kept as Json | null)?.['request'] ?? { method: '', path: '', body: null },
  };
  return JSON.stringify([
    toIntentDetails(
      { ...intent, attemptCount: 1 } as ListedIntent,
      timeline as Parameters<typeof toIntentDetails>[1],
      null,
      { names, programsHash: 'aa' },
    ),
    toPreviewView(preview as Parameters<typeof toPreviewView>[0]),
    ...[
      { ...intent, ...timeline, kind: 'intent' },
      { ...intent, ...event, kind: 'event' },
    ].map((fact) => toExportLine(fact as unknown as ExportedFact, true)),
  ]);
}

/** In quarantine, as it is and as what somebody has corrected, and as what became an intent. */
function showSource(headers: unknown, value: unknown): string {
  const [headersText, text] = [JSON.stringify(headers), JSON.stringify(value)];
  const record = { key: Buffer.from('m-1'), value: Buffer.from(text), headersText, isUnreadable: false };
  const before = { ...record, value: Buffer.from('{"specversion":"1.0"}'), headersText: '{}' };
  return JSON.stringify([
    showRecord(record, names),
    showCorrected(before, { value: text, headersText }, names),
    showCorrected(record, { value: '{"specversion":"1.0"}' }, names),
    showIntent({ sourceRecord: { headers: headersText, value: text } }),
  ]);
}

interface Kind {
  readonly kind: string;
  readonly full: Json;
  show(document: unknown): string;
}

const structured = { 'content-type': 'application/cloudevents+json' };
const binaryHeaders = (type: string): Json => ({
  'content-type': 'application/json',
  ...Object.fromEntries(Object.entries({ ...frame, type }).map(([name, value]) => [`ce_${name}`, value])),
});
const enrolled = 'loyalty.member.enrolled.v1';

const kinds: readonly Kind[] = [
  ...types.map((type) => ({
    kind: `structured ${type}`,
    full: { ...frame, type, data: dataOf(type) },
    show: (event: unknown) => showSource(structured, event),
  })),
  {
    kind: 'binary event',
    full: dataOf(enrolled),
    show: (data) => showSource(binaryHeaders(enrolled), data),
  },
  {
    kind: 'headers',
    full: binaryHeaders(enrolled),
    show: (headers) => showSource(headers, dataOf(enrolled)),
  },
  {
    kind: 'event of a type that nobody knows',
    full: { ...frame, type: 'loyalty.member.enrolled.v9', data: dataOf(enrolled) },
    show: (event) => showSource(structured, event),
  },
  {
    kind: 'command',
    full: command,
    show: (sent) =>
      JSON.stringify([showIntent({ command: sent }), listChanges(command, sent), listChanges(sent, command)]),
  },
  { kind: 'evidence', full: evidence, show: (kept) => showIntent({ evidence: withBodies(kept) }) },
  { kind: 'pass', full: pass, show: (shown) => JSON.stringify(maskPass(shown as Json)) },
];

/** Parts of evidence whose shapes are planted in by themselves. */
const likeOthers = ['lookup', 'command'];

/** Where there is an object, the whole document among them. */
function objectsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (!isNested(value)) return [];
  const entries = Object.entries(value).filter(([name]) => !likeOthers.includes(name));
  const below = entries.flatMap(([name, member]) => objectsIn(member, [...path, name]));
  return Array.isArray(value) ? below : [path, ...below];
}

function at(document: unknown, path: readonly string[]): Json {
  return path.reduce((value, step) => (value as Json)[step], document) as Json;
}

/** The document with a value under these names of one of its objects. */
function planted(document: Json, { path, names: under }: Spot, value: unknown): Json {
  const copy = structuredClone(document);
  Object.assign(at(copy, path), Object.fromEntries(under.map((name) => [name, value])));
  return copy;
}

const everyName = [
  ...new Set([
    'code',
    'nickname',
    ...kinds.flatMap(({ full }) => objectsIn(full).flatMap((path) => Object.keys(at(full, path)))),
  ]),
];

interface Spot {
  readonly path: readonly string[];
  readonly names: readonly string[];
}

/** Every object of a document with each of its own names, and with all others at once: they do not change what the rest means. */
function spotsIn(document: Json): Spot[] {
  return objectsIn(document).flatMap((path) => {
    const own = Object.keys(at(document, path));
    return [...own.map((name) => ({ path, names: [name] })), { path, names: without(everyName, own) }];
  });
}

function without(all: readonly string[], some: readonly string[]): string[] {
  return all.filter((name) => !some.includes(name));
}

/** Of whatever kind it was. */
const masked = expect.stringMatching(/^(?:\w+(?:\(\d+\))? )?•••$/) as unknown;

describe('a planted value', () => {
  const [sentence, telephone] = ['Ada Lovelace, +44 20 7946 0958', 447_946_095_812];
  const under = (value: unknown): Json => Object.fromEntries(everyName.map((name) => [name, value]));
  const shows = (text: string): boolean => text.includes('Lovelace') || text.includes(String(telephone));
  const leaksOf = ({ full, show }: Kind, spots: readonly Spot[], values: readonly unknown[]): Spot[] =>
    spots.filter((spot) => values.some((value) => shows(show(planted(full, spot, value)))));

  it('has places enough to be planted in', () => {
    const named = ['content', 'date', 'code', 'reason', 'data', 'body', 'status', 'type', 'source', 'lines', 'tier'];
    expect(without(named, everyName)).toEqual([]);
    expect(everyName.length).toBeGreaterThan(80);
  });

  it.each(kinds)('is shown under no name and at no depth, as a text or deep in one: $kind', (kind) => {
    const disguised = [sentence, under(sentence), [sentence, under(sentence)], JSON.stringify(under(sentence))];
    // Of evidence the detail is what we say ourselves.
    const isOurs = ({ path, names: [name] }: Spot): boolean =>
      kind.full === evidence && path.length === 0 && name === 'detail';
    const spots = spotsIn(kind.full).filter((spot) => !isOurs(spot));
    expect(shows(kind.show(kind.full))).toBe(false);
    expect(leaksOf(kind, spots, disguised)).toEqual([]);
  });

  it.each(kinds)('is shown as a number nowhere but where one belongs: $kind', (kind) => {
    const numbers = [telephone, under(telephone), [telephone, under(telephone)]];
    const spots = objectsIn(kind.full).map((path) => ({
      path,
      names: without(everyName, Object.keys(at(kind.full, path))),
    }));
    expect(leaksOf(kind, spots, numbers)).toEqual([]);
  });

  it('would be found: where we speak ourselves it is shown', () => {
    expect(shows(showIntent({ evidence: { detail: sentence } }))).toBe(true);
  });
});

/** Every path that a shape names. */
function pathsOf({ members = {}, items, json }: Shape, path: readonly string[] = []): string[] {
  const below = [items, json].flatMap((shape) => (shape === undefined ? [] : pathsOf(shape, path)));
  const named = Object.entries(members).flatMap(([name, shape]) => pathsOf(shape, [...path, name]));
  return [path.join('.'), ...below, ...named];
}

function fieldsOf(value: unknown, path: readonly string[] = []): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(item, path));
  const below = isNested(value)
    ? Object.entries(value).flatMap(([name, member]) => fieldsOf(member, [...path, name]))
    : [];
  return [path.join('.'), ...below];
}

function maskedFields(value: unknown, path: readonly string[] = []): string[] {
  if (isMask(value)) return [path.join('.')];
  if (Array.isArray(value)) return value.flatMap((item) => maskedFields(item, path));
  if (!isNested(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => maskedFields(member, [...path, name]));
}

describe('what is shown', () => {
  it.each(kinds.filter(({ kind }) => /^(?:command|evidence|pass)$/.test(kind)))(
    'is all of what names nobody: $kind',
    ({ full, show }) => {
      expect(show(full)).not.toContain(maskedText);
    },
  );

  it.each([
    [commandShape, command],
    [evidenceShape, evidence],
  ])('is planted in wherever it may stand', (shape, full) => {
    const fields = new Set(fieldsOf(full));
    expect(pathsOf(shape).filter((path) => !fields.has(path))).toEqual([]);
  });

  // A field that is new in a schema is masked, and missing here.
  it('of a source event is all but these fields', () => {
    const masked = types.flatMap((type) => {
      const event = { ...frame, type, data: dataOf(type) };
      const record = { key: null, value: Buffer.from(JSON.stringify(event)), headersText: '{}', isUnreadable: false };
      return maskedFields(JSON.parse(showRecord(record, names).value ?? ''));
    });
    expect([...new Set(masked)].sort()).toEqual(
      [
        ...['changed', 'groupId', 'ipAddress', 'lines.sku', 'message', 'metaData', 'reason'],
        ...['firstName', 'lastName', 'email', 'phone'].map((name) => `person.${name}`),
        ...['seat', 'row', 'section', 'gate', 'profileImage'].map((name) => `pass.${name}`),
      ]
        .map((path) => `data.${path}`)
        .sort(),
    );
  });
});

describe('how and where something was sold', () => {
  const [completed, refunded] = ['loyalty.purchase.completed.v1', 'loyalty.purchase.refunded.v1'];
  const shown = (type: string | undefined, data: Json): unknown => {
    const value = Buffer.from(JSON.stringify({ ...frame, type, data }));
    const record = showRecord({ key: null, value, headersText: '{}', isUnreadable: false }, names);
    return (JSON.parse(record.value ?? '') as { readonly data: unknown }).data;
  };

  // Both were masked: a store's number could not be seen, and nothing be mended without typing the channel anew.
  it.each([
    [completed, { channel: 'pos', storeId: 4_711 }],
    [completed, { channel: 'POS', purchaseId: 118_834 }],
    [completed, { channel: 'app.inStore-2', storeId: 'berlin-07' }],
    [refunded, { refundId: 7, original: { purchaseId: 12, storeId: 4_711 } }],
  ])('is shown, also where it breaks a rule: %s %j', (type, data) => {
    expect(shown(type, data)).toEqual(data);
  });

  it.each(['Ada', 'Ada Lovelace', 'ada@example.org', '447946095812', 447_946, 'a'.repeat(33), ['pos']])(
    'is not shown as a channel that may say who somebody is: %j',
    (channel) => {
      expect(shown(completed, { channel })).toEqual({ channel: masked });
    },
  );

  it.each(['Ada Lovelace', 'ada@example.org', '+4479460', 4_479_460, 4.5, -4, true, [4]])(
    'is not shown as a store that may say who somebody is: %j',
    (storeId) => {
      expect(shown(completed, { storeId })).toEqual({ storeId: masked });
    },
  );
});

// All of it was masked: a record was refused for a name, and nobody could see which.
describe('regression: what a record was refused for is shown', () => {
  const show = (value: Json): unknown =>
    JSON.parse(
      showRecord(
        { key: null, value: Buffer.from(JSON.stringify(value)), headersText: '{}', isUnreadable: false },
        names,
      ).value ?? '',
    );
  const [granted, completed] = ['loyalty.reward.granted.v1', 'loyalty.purchase.completed.v1'];

  it.each([
    [enrolled, { program: 'tea-club', tier: 'platinum' }],
    [enrolled, { program: 'Coffee-Club', tier: 'GOLD' }],
    [enrolled, { program: 2_001, tier: 'Gold' }],
    [granted, { reward: 'free-car' }],
    [granted, { reward: '9001' }],
    [completed, { total: { minor: 1, currency: 'eur', digits: 2 } }],
    [completed, { total: { minor: 1, currency: '€', digits: 2 } }],
  ])('names of programs, tiers, rewards and currencies: %s %j', (type, data) => {
    expect(show({ ...frame, type, data })).toMatchObject({ data });
  });

  it('the type that nobody knows', () => {
    const type = 'shop.purchase.completed.v2';
    expect(show({ ...frame, type, data: { memberId: 'm-1' } })).toMatchObject({ type, data: masked });
    expect(show({ type, id: 'e-1', ...{ specversion: '1.0' } })).toMatchObject({ type });
    // It alone makes no event of a document.
    const record = { key: null, value: Buffer.from(JSON.stringify({ type, id: 'e-1' })), headersText: '{}' };
    expect(showRecord({ ...record, isUnreadable: false }, names).value).toBe(maskedText);
  });
});

describe('a viewer is not shown', () => {
  const show = (type: string, data: Json, more: Json = {}): string =>
    showSource(structured, { ...frame, type, data: { program: 'coffee-club', memberId: 'm-1', ...data }, ...more });

  it.each(['loyalty.purchase.refunded.v1', 'loyalty.purchase.voided.v1', 'loyalty.reward.revoked.v1'])(
    'what a cashier wrote as the reason: %s',
    (type) => {
      expect(show(type, { reason: 'Ada Lovelace +44 20 7946 0958' })).not.toContain('Lovelace');
      expect(show(type, { reason: 'Ada' })).not.toContain('Ada');
    },
  );

  it('unknown fields with names that are harmless elsewhere', () => {
    const data = {
      content: 'Ada',
      date: 'Ada',
      code: 'Ada',
      points: 'Ada',
      status: ['Ada'],
      lines: 'Ada',
      body: 'Ada',
    };
    for (const type of types) expect(show(type, { ...data, extra: data }, data)).not.toContain('Ada');
  });

  it('the key of a record that is not its member', () => {
    const value = Buffer.from(JSON.stringify({ ...frame, type: enrolled, data: { memberId: 'm-1' } }));
    const keyOf = (key: string): unknown =>
      showRecord({ key: Buffer.from(key), value, headersText: '{}', isUnreadable: false }, names).key;
    expect([keyOf('m-1'), keyOf('ada@example.org'), keyOf('Ada')]).toEqual(['m-1', maskedText, maskedText]);
  });

  it('the data of a type that nobody knows, nor the type where it is any text', () => {
    expect(show('loyalty.member.enrolled.v9', { memberId: 'Ada' })).not.toContain('Ada');
    const spoilt = show('loyalty.member.Ada Lovelace.v1', {});
    expect(spoilt).not.toContain('Ada');
    expect(spoilt).toContain('e-1');
    expect(show('loyalty.member.ada@example.org.v1', {})).not.toContain('@');
  });

  it('a program, a tier, a reward or a currency that may say who somebody is', () => {
    for (const odd of ['Ada', 'Ada Lovelace', 'ada@example.org', '+447946095', 447_946_095, ['Ada'], { Ada: 'Ada' }]) {
      const said = [
        show(enrolled, { tier: odd, program: odd }),
        show('loyalty.reward.granted.v1', { reward: odd }),
        show('loyalty.purchase.completed.v1', { total: { minor: 1, currency: odd, digits: 2 } }),
      ];
      expect(said.join()).not.toMatch(/"(?:Ada|ada@|Ada L)|447/);
    }
  });

  it('an address in a path that was asked for', () => {
    const request = {
      method: 'GET',
      path: '/101/programs/2001/wallets?email=ada%40example.org&unique_id=m-1',
      body: null,
    };
    const shown = showIntent({ evidence: { lookup: { request, response: null, durationMs: 1 } } });
    expect(shown).toContain(`/101/programs/2001/wallets?email=${maskedText}&unique_id=m-1`);
    const odd = ['/101/ada@example.org', '/101?unique_id=ada%40example.org', '/101?unique_id=%zz', '/Ada L?=Ada'];
    for (const path of odd) {
      expect(showIntent({ evidence: { request: { ...request, path } } })).not.toMatch(/ada(?:@|%40)|zz|Ada/);
    }
  });

  it('what the partner answers beside the documented fields, or in their place', () => {
    const body = JSON.stringify({
      message: 'Ada',
      code: 'Ada',
      points: 'Ada',
      passId: { status: 'Ada' },
      statusCode: 'Ada',
    });
    expect(showIntent({ evidence: { response: { status: 400, headers: { date: 'Ada' }, body } } })).not.toContain(
      'Ada',
    );
    expect(
      maskPass({ ...pass, status: { points: 'Ada' }, personId: 'p', passdata: { seat: 'A1', points: 'Ada' } }),
    ).toEqual({
      ...{ ...pass, status: masked, personId: masked },
      passdata: { seat: masked, points: masked },
    });
    expect([maskPassValue('passdata.points', 7), maskPassValue('passdata.points', 'Ada')]).toEqual([7, masked]);
    expect([maskPassValue('passdata.gate', 'Ada'), maskPassValue('groupId', 'Ada')]).toEqual([masked, masked]);
  });

  // Whoever has it has the card: they stood in every answer that showed a pass.
  it('an address of a card, in whatever shows a pass', () => {
    const names = ['downloadUrl', 'downloadUrlApple', 'downloadUrlGoogle', 'downloadUrlSamsung'];
    const links = Object.fromEntries(names.map((name) => [name, `https://cards.example/${name}`]));
    expect(maskPass({ ...links, downloadUrlApple: null })).toEqual({
      ...Object.fromEntries(names.map((name) => [name, masked])),
      downloadUrlApple: null,
    });
    for (const path of names) expect(maskPassValue(path, 'https://cards.example/1')).toEqual(masked);
    const evidence = { response: { status: 200, body: JSON.stringify({ ...links, data: [links] }) } };
    expect(showIntent({ evidence })).not.toContain('cards.example');
    expect(showIntent({ evidence: { lookup: { ...evidence, durationMs: 1 } } })).not.toContain('cards.example');
  });

  it.each(['https://cards.example/7', 'cards.example/7?pass=7', '//cards.example/7', 'HTTP://cards.example'])(
    'an address where a card has its name, a call its number: %s',
    (address) => {
      expect(maskPass({ serialNumber: address })).toEqual({ serialNumber: masked });
      expect(maskPassValue('serialNumber', address)).toEqual(masked);
      const response = {
        status: 200,
        headers: { 'x-request-id': address },
        body: JSON.stringify({ serialNumber: address }),
      };
      expect(showIntent({ evidence: { response } })).not.toContain('cards.example');
    },
  );

  it('an address of a card but to who asks for it, and of these none that is no address of the web', () => {
    const links = { downloadUrl: 'https://cards.example/1', downloadUrlApple: null, downloadUrlGoogle: 'see Ada' };
    const shown = { ...pass, ...links };
    expect(showCardLinks(shown)).toEqual({ ...links, downloadUrlGoogle: masked });
    expect(showCardLinks({ ...links, downloadUrl: 'javascript:alert(1)' }).downloadUrl).toEqual(masked);
    expect(showCardLinks(null)).toEqual({ downloadUrl: null, downloadUrlApple: null, downloadUrlGoogle: null });
  });

  it('names within what is masked as a whole, nor names that say something', () => {
    const before = { ...command, content: { passdata: { metaData: { Lovelace: 1 } } } } as unknown as PartnerCommand;
    const after = { ...command, content: { passdata: { metaData: { Byron: 1 } } }, attributes: { 'Ada L': 1 } };
    const changes = listChanges(before, after);
    expect(JSON.stringify(changes)).not.toMatch(/Lovelace|Byron|Ada/);
    expect(changes.map(({ path }) => path)).toEqual([
      `attributes.${maskedText}`,
      'attributes.receipt',
      'content.passdata.metaData',
    ]);
  });
});
