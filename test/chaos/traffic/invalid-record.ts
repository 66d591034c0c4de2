import type { Chance } from '../chance.js';
import { type Emission, eventBytes, structured } from './emission.js';

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
