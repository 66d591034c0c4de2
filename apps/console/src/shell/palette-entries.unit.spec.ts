import { fixedEntries, foundEntries } from './palette-entries.js';

const texts = (entries: ReturnType<typeof fixedEntries>): readonly string[] => entries.map(({ text }) => text);

it('finds screens and actions by a part of their name', () => {
  expect(texts(fixedEntries('repl'))).toEqual(['Plan a replay']);
  expect(fixedEntries('utc local').map(({ key }) => key)).toEqual(['time-zone']);
  expect(fixedEntries('nothing of the kind')).toEqual([]);
});

it('shows what was found by kind, each where it leads, and says where there is more', () => {
  const member = { kind: 'member', program: 'tea', memberId: 'm-1', isErased: false } as const;
  const purchase = { kind: 'purchase', purchaseId: 'p-1', program: 'tea', memberId: 'm-1', intents: 1 } as const;
  const found = foundEntries([
    { kind: 'member', items: [member], hasMore: true },
    {
      ...{ kind: 'purchase', hasMore: false },
      items: [
        { ...purchase, intent: 'tea~m-1~2' },
        { ...purchase, purchaseId: 'p-2', intents: 3, intent: null },
      ],
    },
  ]);
  expect(found.map(({ text, about, target }) => [text, about, target.kind])).toEqual([
    ['m-1', 'member of tea (type more: there are others)', 'member'],
    ['p-1', 'purchase of m-1, tea', 'intent'],
    ['p-2', 'purchase of m-1, tea', 'purchase'],
  ]);
});

it('opens a record that is set aside by the receipt that it names', () => {
  const record = {
    kind: 'record',
    id: 2,
    state: 'open',
    reason: 'unknown-program',
    detail: 'd',
    program: null,
  } as const;
  const [entry] = foundEntries([
    { kind: 'record', items: [{ ...record, recordedAt: '2026-11-26T00:00:00.000Z' }], hasMore: false },
  ]);
  expect(entry).toMatchObject({ text: 'Record 2', target: { kind: 'record', id: '2' } });
});

it('finds nothing where the daemon found nothing', () => {
  expect(foundEntries([])).toEqual([]);
});
