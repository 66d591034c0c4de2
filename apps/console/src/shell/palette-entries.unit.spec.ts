import { fixedEntries, foundEntries } from './palette-entries.js';

type Intents = Parameters<typeof foundEntries>[1];

const intent = (memberId: string, seq: number, purchaseId: string | null): Intents[number] => ({
  id: `tea~${memberId}~${seq}`,
  program: 'tea',
  memberId,
  seq,
  operation: 'transaction',
  status: 'parked',
  reason: null,
  code: null,
  fingerprint: null,
  since: null,
  recordedAt: '2026-11-26T00:00:00.000Z',
  occurredAt: '2026-11-26T00:00:00.000Z',
  eventType: 'purchase',
  source: null,
  storeId: null,
  purchaseId,
  amount: null,
  attemptCount: 1,
  cause: { topic: 'purchases', partition: 0, offset: 1 },
});

const texts = (entries: ReturnType<typeof fixedEntries>): readonly string[] => entries.map(({ key }) => key);

it('finds screens and actions by a part of their name', () => {
  expect(texts(fixedEntries('repl'))).toEqual(['new-replay']);
  expect(texts(fixedEntries('utc local'))).toEqual(['time-zone']);
  expect(fixedEntries('nothing of the kind')).toEqual([]);
});

it('names a member once, however many intents it has', () => {
  const found = foundEntries('m-1', [intent('m-1', 2, null), intent('m-1', 1, null)]);
  expect(texts(found)).toEqual(['member tea m-1', 'intent tea~m-1~2', 'intent tea~m-1~1', 'search']);
});

it('leads from a purchase to all of its intents', () => {
  expect(texts(foundEntries('p-1', [intent('m-1', 2, 'p-1')]))).toEqual(['purchase p-1', 'intent tea~m-1~2', 'search']);
});
