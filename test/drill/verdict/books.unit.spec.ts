import type { Told } from '../traffic/emission.js';
import type { Books, End, Entry } from './books.js';
import { auditBooks } from './books.js';

const purchase = 'coffee-club berlin 118';
const thing = 'sale coffee-club berlin 118';

const sale: Told = {
  operation: 'transaction',
  memberId: 'ada',
  key: 'berlin-118',
  minor: 1_000,
  purchase,
  thing,
  takesBack: null,
  isOwed: true,
};

const back: Told = {
  ...sale,
  key: 'berlin-R7',
  minor: 400,
  thing: 'return 7',
  takesBack: { sale: thing, isAfterIt: true },
};

const entry: Entry = {
  operation: 'transaction',
  uniqueId: 'ada',
  key: 'berlin-118',
  requestId: 'r-1',
  amount: '10.00',
};

const backEntry: Entry = { ...entry, key: 'berlin-R7', requestId: 'r-7', amount: '-4.00' };

const end: End = {
  operation: 'transaction',
  memberId: 'ada',
  minor: '1000',
  purchase,
  isSale: true,
  type: null,
  reason: null,
  isBehind: false,
};

const books = (change: Partial<Books>): Books => ({ told: [sale], entries: [], ends: [], taken: [], ...change });

describe('the audit', () => {
  it('knows a pass that another system has made, by an update too: nothing of ours is lost', () => {
    const pass = { operation: 'issue', memberId: 'm-1', key: null, minor: null, thing: 'pass m-1' } as const;
    const enrolled: Told = { ...sale, ...pass, purchase: null };
    expect(auditBooks(books({ told: [enrolled] })).lost).toEqual([enrolled]);
    const found = auditBooks(books({ told: [enrolled], issuedByOthers: ['m-1'] }));
    expect(found).toMatchObject({ lost: [], excused: { "somebody else's pass": 1 } });
  });

  it('finds once what is there', () => {
    const report = auditBooks(books({ entries: [entry] }));
    expect(report).toMatchObject({ owed: 1, found: 1, excused: {}, lost: [], duplicates: {}, foreign: [] });
  });

  it('names what is lost', () => {
    expect(auditBooks(books({})).lost).toEqual([sale]);
  });

  it.each([
    ['IntentParked unknown-outcome', { type: 'IntentParked', reason: 'unknown-outcome' }],
    ['IntentCancelled voided', { type: 'IntentCancelled', reason: 'voided' }],
    ['behind what is parked', { isBehind: true }],
    ['behind what is parked', { isBehind: true, type: 'WaitingBegan' }],
    ['behind what is parked', { isBehind: true, type: 'IntentReleased' }],
  ])('excuses what a person can see: %s', (text, change) => {
    const report = auditBooks(books({ ends: [{ ...end, ...change }] }));
    expect(report).toMatchObject({ found: 0, excused: { [text]: 1 }, lost: [] });
  });

  it.each([
    ['waits in a lane that nothing holds up', { type: 'WaitingBegan' }],
    ['is delivered in a lane that a later one holds up', { isBehind: true, type: 'AttemptApplied' }],
    ['is begun in a lane that another holds up', { isBehind: true, type: 'AttemptBegun' }],
    [
      "is another member's, and of another receipt",
      { memberId: 'bob', purchase: 'coffee-club wien 118', type: 'IntentParked', reason: 'rejected' },
    ],
  ])('does not excuse what %s', (_, change) => {
    expect(auditBooks(books({ ends: [{ ...end, ...change }] })).lost).toEqual([sale]);
  });

  it.each([
    ['with whose receipt it names: the card is of somebody else', { memberId: 'bob' }],
    ['with whose card it is: nobody said where it was bought', { purchase: 'coffee-club wien 118' }],
  ])('excuses a return that is parked %s', (_, change) => {
    const parked = { ...end, minor: '400', isSale: false, type: 'IntentParked', reason: 'over-refund' };
    const told = [sale, back];
    const report = auditBooks(books({ told, entries: [entry], ends: [{ ...parked, ...change }] }));
    expect(report).toMatchObject({ excused: { 'IntentParked over-refund': 1 }, lost: [] });
    const others = [{ ...parked, memberId: 'bob', purchase: 'coffee-club wien 118' }];
    expect(auditBooks(books({ told, entries: [entry], ends: others })).lost).toEqual([back]);
  });

  it('excuses a return that names what was sold without a card, and that alone', () => {
    const sold: Told = { ...sale, memberId: '', isOwed: false };
    const report = auditBooks(books({ told: [sold, back] }));
    expect(report).toMatchObject({ excused: { 'takes back what was sold without a card': 1 }, lost: [] });
    expect(auditBooks(books({ told: [{ ...sold, thing: 'sale 2' }, back] })).lost).toEqual([back]);
    expect(auditBooks(books({ told: [{ ...sold, memberId: 'ada' }, back] })).lost).toEqual([back]);
  });

  it('excuses a sale with what is left of it, not with the end of a return', () => {
    const parked = { ...end, minor: '1', type: 'IntentParked', reason: 'conflict' };
    expect(auditBooks(books({ ends: [parked] }))).toMatchObject({ excused: { 'IntentParked conflict': 1 }, lost: [] });
    expect(auditBooks(books({ ends: [{ ...parked, minor: '1000', isSale: false }] })).lost).toEqual([sale]);
  });

  it('excuses a receipt that another system took', () => {
    expect(auditBooks(books({ taken: ['berlin-118'] }))).toMatchObject({ excused: { "somebody else's receipt": 1 } });
  });

  it('tells what we did twice from what the partner did twice', () => {
    const twice = auditBooks(books({ entries: [entry, { ...entry, requestId: 'r-2' }, entry] }));
    expect(twice).toMatchObject({ duplicates: { transaction: 1 }, partnerTwice: 1 });
  });
});

/** What was told, what is there, and what of that nothing told explains. */
type Planted = readonly [what: string, told: readonly Told[], entries: readonly Entry[], foreign: readonly Entry[]];

const bobs: Told = { ...sale, memberId: 'bob' };
const bobsEntry: Entry = { ...entry, uniqueId: 'bob', requestId: 'r-2' };
const corrected: Told = { ...sale, minor: 900, isOwed: false };
const told = { ...back, isOwed: false };
const nobodys: Told = { ...sale, memberId: '', isOwed: false };
const again: Told = { ...told, key: 'berlin-R9' };
const againEntry: Entry = { ...backEntry, key: 'berlin-R9', requestId: 'r-9' };
const [tea, teaEntry] = [
  { ...sale, key: null },
  { ...entry, key: null },
];

describe('what the audit makes of one thing told in several ways', () => {
  it.each<Planted>([
    ['a sale that somebody claims', [{ ...sale, memberId: 'bob' }], [bobsEntry], []],
    ['a claim on the card of who claimed nothing', [sale], [bobsEntry], [bobsEntry]],
    ['a sale by its corrected total', [sale, corrected], [{ ...entry, amount: '9.00' }], []],
    ['the same, where no receipt tells it', [tea, { ...corrected, key: null }], [{ ...teaEntry, amount: '9.00' }], []],
    [
      'a sale by a total that nobody told',
      [sale, corrected],
      [{ ...entry, amount: '9.01' }],
      [{ ...entry, amount: '9.01' }],
    ],
    [
      'a sale that nobody told',
      [sale],
      [entry, { ...entry, key: 'x', requestId: 'r-3' }],
      [{ ...entry, key: 'x', requestId: 'r-3' }],
    ],
    ['a return without the card', [sale, { ...told, memberId: '' }], [entry, backEntry], []],
    ['a return with the card of somebody else', [sale, { ...told, memberId: 'bob' }], [entry, backEntry], []],
    [
      'the same, on that card',
      [sale, { ...told, memberId: 'bob' }],
      [entry, { ...backEntry, uniqueId: 'bob' }],
      [{ ...backEntry, uniqueId: 'bob' }],
    ],
    ['a return of what nobody had a card for', [nobodys, told], [backEntry], [backEntry]],
    ['a sale without a card', [nobodys], [entry], [entry]],
    ['a return of a sale that nobody told', [told], [backEntry], [backEntry]],
    ['a return of a sale that is not there', [sale, told], [backEntry], [backEntry]],
    [
      'a return of another amount',
      [sale, told],
      [entry, { ...backEntry, amount: '-4.01' }],
      [{ ...backEntry, amount: '-4.01' }],
    ],
    [
      'a return that gives',
      [sale, told],
      [entry, { ...backEntry, amount: '4.00' }],
      [{ ...backEntry, amount: '4.00' }],
    ],
    ['a return by the number that the second system told', [sale, told, again], [entry, againEntry], []],
    ['a return by a number that nobody told', [sale, told], [entry, againEntry], [againEntry]],
  ])('%s', (_what, all, entries, foreign) => {
    const report = auditBooks(books({ told: all, entries: entries.toReversed() }));
    expect(report.foreign).toEqual(foreign);
    expect(report.duplicates).toEqual({});
  });

  it.each<readonly [string, readonly Told[], readonly Entry[]]>([
    ['a sale for each who claims it', [sale, bobs], [entry, bobsEntry]],
    ['a sale by both its totals', [sale, corrected], [entry, { ...entry, requestId: 'r-4', amount: '9.00' }]],
    ['a return for each system that told it', [sale, told, again], [entry, backEntry, againEntry]],
  ])('is there twice: %s', (_what, all, entries) => {
    expect(auditBooks(books({ told: all, entries })).duplicates).toEqual({ transaction: 1 });
  });

  it('is lost or excused once, by whatever name a person sees it', () => {
    const claims = books({ told: [sale, bobs] });
    expect(auditBooks(claims)).toMatchObject({ owed: 1, lost: [sale] });
    const ends = [{ ...end, memberId: 'bob', minor: '600', type: 'IntentParked', reason: 'conflict' }];
    expect(auditBooks({ ...claims, ends })).toMatchObject({ excused: { 'IntentParked conflict': 1 }, lost: [] });
  });

  it('tells two sales of one member and amount apart by what else they may be', () => {
    const other: Told = { ...tea, thing: 'sale tea-club 7' };
    const less: Told = { ...other, minor: 900, isOwed: false };
    const entries = [
      { ...teaEntry, requestId: 'r-5' },
      { ...teaEntry, amount: '9.00' },
    ];
    expect(auditBooks(books({ told: [other, less, tea], entries }))).toMatchObject({
      lost: [],
      duplicates: {},
      foreign: [],
    });
  });

  it('takes a return back from who was told to have the sale, where another system took its receipt', () => {
    expect(auditBooks(books({ told: [sale, told], entries: [backEntry], taken: ['berlin-118'] })).foreign).toEqual([]);
  });

  it('takes a return back on the card of the member alone where it does not wait for its sale', () => {
    const early = { ...told, takesBack: { sale: thing, isAfterIt: false } };
    expect(auditBooks(books({ told: [sale, early], entries: [backEntry] })).foreign).toEqual([]);
    const others = { ...backEntry, uniqueId: 'bob' };
    expect(auditBooks(books({ told: [sale, early], entries: [others] })).foreign).toEqual([others]);
    expect(auditBooks(books({ told: [early], entries: [backEntry] })).foreign).toEqual([backEntry]);
  });
});
