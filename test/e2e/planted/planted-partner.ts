import type { PartnerAnswer, PartnerRequest } from '../stand-in-partner.js';
import { accepted, passOf, StandInPartner } from '../stand-in-partner.js';
import type { Emission } from '../traffic.js';
import { emission, granted, purchased, refunded } from '../traffic.js';
import { cardAddresses, memberId, personal, secrets } from './planted-values.js';

/** Names of what is shown somewhere. Elsewhere a value under one of them is as personal as any. */
const harmlessNames = [
  ...['specversion', 'id', 'source', 'type', 'time', 'datacontenttype', 'sequence', 'data', 'content-type', 'ce_id'],
  ...['program', 'memberId', 'purchaseId', 'storeId', 'refundId', 'grantId', 'reward', 'tier', 'total', 'minor'],
  ...['currency', 'digits', 'lines', 'quantity', 'net', 'original', 'scope', 'erase', 'absorbed', 'pass', 'points'],
  ...['optOut', 'expiryDate', 'status', 'operation', 'brandId', 'programId', 'templateId', 'uniqueId', 'unique_id'],
  ...['workflowId', 'rewardId', 'transactionTypeId', 'transactionDate', 'amount', 'attributes', 'content', 'passdata'],
  ...['phase', 'request', 'response', 'method', 'path', 'body', 'headers', 'date', 'retry-after', 'code', 'statusCode'],
  ...['passId', 'serialNumber', 'transactionId', 'listed', 'detail', 'command', 'lookup', 'reason', 'channel', 'sku'],
];

const sentence = `${personal.firstName} ${personal.lastName} ${personal.phone}`;

/** A value under each of these names but those that belong there. */
function misplaced(belonging: readonly string[], value: unknown = sentence): Record<string, unknown> {
  const names = harmlessNames.filter((name) => !belonging.includes(name));
  return Object.fromEntries(names.map((name) => [name, value]));
}

/** All of it once more deeper, as numbers, and as JSON in a text. */
const extra = {
  field: personal.unknownField,
  ...misplaced([], { code: sentence, content: [sentence], status: { reason: sentence } }),
  data: misplaced([], Number(personal.number)),
  body: JSON.stringify(misplaced([])),
};

/** What would say whose an answer is. */
const owners = ['memberId', 'unique_id', 'uniqueId'];

/** All that it was told, which no decent partner says back. */
function echo({ method, path, headers, body }: PartnerRequest): string {
  const { firstName: name, email: address } = personal;
  return `${method} ${path} ${String(headers.authorization)} ${String(headers['x-subscription-key'])} ${body} ${name} ${address} ${cardAddresses.cardAddress}`;
}

const { cardAddress } = cardAddresses;
const links = {
  ...{ downloadUrl: cardAddress, downloadUrlApple: `${cardAddress}/apple`, downloadUrlGoogle: `${cardAddress}/google` },
  link: cardAddress,
};

function refusal(request: PartnerRequest, status: number, why = 'Sorry'): PartnerAnswer {
  // A head has its limits.
  const told = encodeURIComponent(echo(request).slice(0, 2_000));
  const headers = { 'x-echo': told, 'retry-after': memberId('retry'), date: sentence };
  const message = `${why}: ${echo(request)}`;
  return { status, headers, body: JSON.stringify({ ...misplaced([]), message }) };
}

type Answering = (request: PartnerRequest) => PartnerAnswer | null;

/** Lookups by what they ask for; each is answered so once, and then as a partner should. */
const lookups: readonly (readonly [string, Answering])[] = [
  [`unique_id=${memberId('garbage')}`, (request) => refusal(request, 400)],
];

/** Calls that change something, by what path or body names; likewise. */
const changes: readonly (readonly [string, Answering])[] = [
  // Issues.
  [memberId('refused'), (request) => refusal(request, 400, 'Not today')],
  [memberId('garbage'), (request) => ({ status: 200, body: `<html>${echo(request)}</html>` })],
  [memberId('timeout'), () => null],
  // Purchases of one member, each with another end.
  ['P-refused', (request) => refusal(request, 422, 'Receipt P-refused already exists')],
  ['P-broken', (request) => refusal(request, 500)],
  ['P-moved', (request) => ({ status: 302, headers: { location: `/${encodeURIComponent(echo(request))}` }, body: '' })],
  ['P-garbage', (request) => ({ status: 200, body: echo(request) })],
  ['P-half', (request) => ({ status: 200, body: `{"message":"${echo(request)}` })],
  ['P-timeout', () => null],
  ['P-odd', (request) => ({ status: 418, body: echo(request) })],
];

/** Whoever is asked for is there; more of it is odd than right. */
function foundPass(request: PartnerRequest): PartnerAnswer {
  const uniqueId = new URL(request.path, 'http://partner').searchParams.get('unique_id');
  const pass = {
    ...passOf(request),
    ...links,
    ...{ statusCode: 'ACTIVE', status: memberId('status'), points: personal.phone },
    person: { firstName: personal.firstName, email: personal.email },
    ...misplaced([...owners, 'passId', 'serialNumber', 'statusCode', 'status', 'points', 'passdata']),
    passdata: {
      ...misplaced([...owners, 'status']),
      metaData: { memberId: uniqueId, [personal.metaKey]: personal.metaValue },
    },
  };
  return { status: 200, body: JSON.stringify(pass) };
}

/** What would contradict what was asked for. */
const compared = [
  'passId',
  'serialNumber',
  'templateId',
  'amount',
  'transactionTypeId',
  'transactionDate',
  'attributes',
];
const more = {
  ...links,
  ...misplaced([...owners, ...compared, 'status', 'statusCode']),
  passdata: misplaced([...owners, 'optOut']),
};
function acceptedWithMore(request: PartnerRequest): PartnerAnswer {
  const { body, ...answer } = accepted(request);
  return { ...answer, body: JSON.stringify({ ...more, ...(JSON.parse(body) as object) }) };
}

/** A partner that says back whatever it is told, secrets and all. Its first token request it refuses. */
export function openPlantedPartner(): Promise<StandInPartner> {
  const left = { GET: new Map(lookups), other: new Map(changes) };
  const takeAnswer = ({ method, path, body }: PartnerRequest): Answering | undefined => {
    const odd = method === 'GET' ? left.GET : left.other;
    const mark = [...odd.keys()].find((name) => `${path} ${body}`.includes(name));
    const answering = mark === undefined ? undefined : odd.get(mark);
    if (mark !== undefined) odd.delete(mark);
    return answering;
  };
  return StandInPartner.open({
    token: secrets.token,
    tokenRefusals: [(form) => ({ status: 401, body: JSON.stringify({ error: `unknown client ${form}` }) })],
    answer: (request) => {
      const answering = takeAnswer(request);
      if (answering !== undefined) return answering(request);
      return request.method === 'GET' ? foundPass(request) : acceptedWithMore(request);
    },
  });
}

const { firstName, lastName, email, phone, birthDate, ipAddress, message, metaKey, metaValue } = personal;
const person = { ...misplaced([]), firstName, lastName, email, phone, birthDate, nickname: personal.unknownField };

const content = {
  ...{ person, message, ipAddress },
  metaData: { ...misplaced(owners), [metaKey]: metaValue },
  pass: { ...misplaced(['optOut', 'expiryDate']), points: 1, profileImage: personal.profileImage },
};

const ofEvents = ['specversion', 'id', 'source', 'type', 'time', 'data', 'sequence', 'content-type', 'ce_id'];
const ofMembers = ['program', 'memberId', 'tier', 'pass'];
const ofPurchases = [
  ...['program', 'memberId', 'purchaseId', 'storeId', 'refundId', 'total', 'lines', 'original', 'attributes'],
];
const ofRewards = ['program', 'memberId', 'grantId', 'purchaseId', 'reward'];

type Data = Readonly<Record<string, unknown>>;

/** The same event, with values in the event, in its data and in its headers where none belongs. */
function withMisplaced({ topic, message: sent }: Emission, belonging: readonly string[], more: Data = {}): Emission {
  const event = JSON.parse(String(sent.value)) as Data & { readonly data: Data };
  const data = { ...event.data, ...misplaced(belonging), extra, ...more };
  const value = JSON.stringify({ ...event, ...misplaced(ofEvents), subject: sentence, data });
  const headers = { ...(misplaced(ofEvents) as Readonly<Record<string, string>>), ...sent.headers };
  return { topic, message: { ...sent, value, headers } };
}

/** An enrolment that says everything about a person. */
export function enrolledWithAll(name: string, id = `e-${name}`): Emission {
  return enrolledOddly(name, {}, id);
}

function purchase(name: string, purchaseId: string): Emission {
  const total = { ...misplaced(['minor', 'currency', 'digits']), minor: 1_250, currency: 'EUR', digits: 2 };
  const lines = [{ ...misplaced(['quantity', 'net']), quantity: 1 }];
  return withMisplaced(purchased(memberId(name), purchaseId), ofPurchases, { total, lines, attributes: misplaced([]) });
}

/** The same record with other text in place of its event's, or of a part of it. */
function spoilt({ topic, message: sent }: Emission, spoil: (text: string) => string): Emission {
  const headers = { ...sent.headers, 'x-note': `${email} ${phone}` };
  return { topic, message: { ...sent, headers, value: spoil(String(sent.value)) } };
}

function enrolledOddly(name: string, more: Data, id = `e-${name}`): Emission {
  const data = { id, memberId: memberId(name), ...content };
  return withMisplaced(emission('members', 'member.enrolled', data), ofMembers, more);
}

/** Records that nothing can be made of, each for another reason, full of values. */
export function badRecords(): Emission[] {
  const whole = (name: string): Emission => enrolledWithAll(name);
  return [
    spoilt(whole('cut'), (text) => text.slice(0, -20)),
    spoilt(whole('latin'), (text) => `${firstName} ${email} ${text}`),
    spoilt(whole('type'), (text) => text.replace('member.enrolled', `member.${email}`)),
    spoilt(whole('version'), (text) => text.replace('enrolled.v1', 'enrolled.v9')),
    spoilt(whole('when'), (text) => text.replace('2026-11-20T10:00:00Z', email)),
    spoilt(whole('spec'), (text) => text.replace('"1.0"', `"${phone}"`)),
    enrolledOddly('person', { person: `${firstName} ${lastName} ${email}` }),
    enrolledOddly('email', { person: { email: { [email]: phone } } }),
    enrolledOddly('sms', { smsSubscription: email }),
    enrolledOddly('meta', { metaData: email }),
    enrolledOddly('clash', { metaData: { memberId: email } }),
    enrolledOddly('program', { program: email }),
    enrolledOddly('tier', { tier: firstName }),
    emission('members', 'member.updated', { id: 'u-odd', memberId: memberId('ok'), changed: [email], ...content }),
    // The same event once more, saying something else.
    spoilt(enrolledWithAll('ok'), (text) => text.replace(lastName, `${lastName}-${lastName}`)),
  ];
}

/** Members whose enrolments end differently; see the partner. `database` is refused by a trigger that quotes its row. */
const enrolments = ['ok', 'refused', 'garbage', 'timeout', 'gone', 'database'];

const purchases = ['P-fine', 'P-refused', 'P-broken', 'P-moved', 'P-garbage', 'P-half', 'P-timeout', 'P-odd'];

export function goodRecords(): Emission[] {
  const update = { id: 'u-1', memberId: memberId('ok'), changed: ['person.email', 'message'], ...content };
  return [
    ...enrolments.map((name) => enrolledWithAll(name)),
    withMisplaced(emission('members', 'member.updated', update), ofMembers),
    ...purchases.map((id) => purchase('ok', id)),
    withMisplaced(refunded(memberId('ok'), 'P-fine', 'R-fine'), ofPurchases),
    withMisplaced(granted(memberId('ok'), 'G-fine'), ofRewards),
    emission('members', 'member.opted-out', { id: 'o-1', memberId: memberId('gone'), scope: 'program', erase: true }),
  ];
}
