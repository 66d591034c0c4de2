import type { Chance } from '../chance.js';
import type { SourceTopic } from '../installation/programs.js';

/** What an event, if it is a good one, is to leave at the partner. */
export interface Owed {
  readonly operation: 'issue' | 'issue-via-workflow' | 'transaction';
  readonly program: string;
  readonly memberId: string;
  /** The purchase or refund; null for an enrolment. */
  readonly purchaseId: string | null;
  /** The unique attribute's value at the partner; null where there is none. */
  readonly key: string | null;
  /** Of a transaction, no two alike; null for an enrolment. */
  readonly minor: number | null;
}

/** One record to be produced. */
export interface Emission {
  /** Such as `purchase.completed`, `invalid`, `duplicate`. */
  readonly what: string;
  readonly topic: SourceTopic;
  readonly key: string | null;
  /** Null: a tombstone. */
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Null where it owes nothing, or what it owes is owed by another already. */
  readonly owed: Owed | null;
}

export const structured = { 'content-type': 'application/cloudevents+json' };

export interface EventFrame {
  readonly id: string;
  readonly type: string;
  readonly time: string;
  readonly sequence?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A structured CloudEvent. */
export function eventBytes({ type, ...frame }: EventFrame): Buffer {
  const event = { specversion: '1.0', source: '/pos/berlin-07/till-3', type: `loyalty.${type}.v1`, ...frame };
  return Buffer.from(JSON.stringify(event));
}

/** The same event in binary mode: attributes as headers, the value is `data`. */
export function binaryMode({ id, type, time, sequence, data }: EventFrame): Pick<Emission, 'value' | 'headers'> {
  return {
    value: Buffer.from(JSON.stringify(data)),
    headers: {
      'content-type': 'application/json',
      ce_specversion: '1.0',
      ce_id: id,
      ce_source: '/pos/berlin-07/till-3',
      ce_type: `loyalty.${type}.v1`,
      ce_time: time,
      ...(sequence === undefined ? {} : { ce_sequence: sequence }),
    },
  };
}

const time = '2026-11-20T10:00:00Z';
const total = { minor: 100, currency: 'EUR', digits: 2 };
const nestingDepth = 200;

function reward(id: string, data: object): Buffer {
  return eventBytes({ id, type: 'reward.granted', time, data: { ...data, grantId: id } });
}

function purchase(id: string, amount: object): Buffer {
  const bought = { purchaseId: id, channel: 'pos', storeId: 's', total: amount, lines: [] };
  const data = { program: 'coffee-club', memberId: 'c-1', ...bought };
  return eventBytes({ id, type: 'purchase.completed', time, data });
}

/** What tills send that nobody can use; none may hold up what comes behind it. */
const mistakes: Readonly<Record<string, (id: string) => Buffer | null>> = {
  'not JSON': () => Buffer.from('{"specversion": "1.0", '),
  'invalid UTF-8': () => Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
  'no CloudEvent': () => Buffer.from('[1, 2, 3]'),
  'nested too deep': () => Buffer.from(`${'['.repeat(nestingDepth)}${']'.repeat(nestingDepth)}`),
  tombstone: () => null,
  'no member': (id) => reward(id, { program: 'coffee-club', reward: 'sticker' }),
  'unknown type': (id) =>
    eventBytes({ id, type: 'purchase.dreamt', time, data: { program: 'coffee-club', memberId: 'c-1' } }),
  'unknown program': (id) => reward(id, { program: 'milk-club', memberId: 'm-1', reward: 'x' }),
  'unknown reward': (id) => reward(id, { program: 'coffee-club', memberId: 'c-1', reward: 'yacht' }),
  'foreign currency': (id) => purchase(id, { ...total, currency: 'USD' }),
  'negative amount': (id) => purchase(id, { ...total, minor: -1 }),
};

export function invalidRecord(chance: Chance, id: string): Emission {
  const mistake = chance.pick(Object.keys(mistakes));
  const value = mistakes[mistake]?.(id) ?? null;
  const topic = chance.pick(['members', 'purchases', 'rewards'] as const);
  // Some have no key: they go anywhere.
  const key = chance.isLucky(0.5) ? 'c-1' : null;
  return { what: 'invalid', topic, key, value, headers: structured, owed: null };
}
