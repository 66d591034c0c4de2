import type { Books, End, Entry } from './audit.js';
import { auditBooks, wasAskedInVain } from './audit.js';

const purchase = 'coffee-club berlin 118';
const sale = { operation: 'transaction', memberId: 'ada', key: 'berlin-118', minor: 1_000, purchase } as const;

const entry: Entry = {
  operation: 'transaction',
  uniqueId: 'ada',
  key: 'berlin-118',
  requestId: 'r-1',
  amount: '10.00',
};

const end: End = {
  operation: 'transaction',
  memberId: 'ada',
  minor: '1000',
  purchase,
  type: null,
  reason: null,
  isBehind: false,
};

const books = (change: Partial<Books>): Books => ({ owed: [sale], entries: [], ends: [], taken: [], ...change });

describe('the audit', () => {
  it('knows a pass that another system has made, by an update too: nothing of ours is lost', () => {
    const enrolled = { operation: 'issue', memberId: 'm-1', key: null, minor: null, purchase: null } as const;
    expect(auditBooks(books({ owed: [enrolled] })).lost).toEqual([enrolled]);
    const found = auditBooks(books({ owed: [enrolled], issuedByOthers: ['m-1'] }));
    expect(found).toMatchObject({ lost: [], excused: { "somebody else's pass": 1 } });
  });

  it('finds once what is there', () => {
    const report = auditBooks(books({ entries: [entry] }));
    expect(report).toMatchObject({ owed: 1, found: 1, excused: {}, lost: [], duplicates: {}, foreign: 0 });
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

  it('excuses what is parked with whose receipt it names: a return with the card of somebody else', () => {
    const parked = { ...end, memberId: 'bob', type: 'IntentParked', reason: 'over-refund' };
    const report = auditBooks(books({ ends: [parked] }));
    expect(report).toMatchObject({ excused: { 'IntentParked over-refund': 1 }, lost: [] });
  });

  it('excuses a receipt that another system took', () => {
    expect(auditBooks(books({ taken: ['berlin-118'] }))).toMatchObject({ excused: { "somebody else's receipt": 1 } });
  });

  it('tells what we did twice from what the partner did twice', () => {
    const twice = auditBooks(books({ entries: [entry, { ...entry, requestId: 'r-2' }, entry] }));
    expect(twice).toMatchObject({ duplicates: { transaction: 1 }, partnerTwice: 1 });
  });
});

describe('parked as unknown', () => {
  it.each([
    [
      'sent again and refused for another reason',
      true,
      ['AttemptUnknown reset', 'ResendDecided', 'AttemptRejected refused'],
    ],
    ['answered with another transaction', true, ['AttemptUnknown answered-otherwise']],
    ['never sent again', false, ['AttemptUnknown reset']],
    ['sent again and refused as a duplicate', false, ['AttemptUnknown', 'ResendDecided', 'AttemptRejected duplicate']],
    ['sent again, and in doubt once more', false, ['AttemptUnknown', 'ResendDecided', 'AttemptUnknown reset']],
    ['refused without having been sent again', false, ['AttemptUnknown reset', 'AttemptRejected refused']],
  ])('%s: asked in vain is %s', (_, expected, answers) => {
    expect(wasAskedInVain({ answers })).toBe(expected);
  });
});
