import { barsOf } from './bars.js';

type Judged = Parameters<typeof barsOf>[0];

const fine = {
  seconds: 600,
  faults: { notReached: [], killsInDoubt: Array.from({ length: 50 }, () => ({ calls: 3, dropped: 1 })) },
  events: { acknowledged: 100_000 },
  kafka: { version: '4.3.1', isReal: true },
  fleet: { diedByThemselves: [], ends: [{ code: 0, signal: null }] },
  rest: { isAtRest: true, seconds: 90, workedSeconds: 40, waited: 2, outcomesSeconds: 0.2 },
  audit: { lost: [], duplicates: {}, foreign: [] },
  truth: { overParked: [], parked: { 'missing-pass transaction coffee-club': 3 } },
  verdict: {
    broken: {},
    figures: {},
    recordsInLog: 7,
    retailer: { findings: 0, judged: { records: 7 }, unbounded: [] },
  },
} as unknown as Judged;

const retailer = (change: object): object => ({
  verdict: { ...fine.verdict, retailer: { ...fine.verdict.retailer, ...change } },
});

function failing(change: object): string[] {
  const judged = { ...fine, ...change };
  return barsOf(judged)
    .filter(({ holds, decides }) => decides && !holds)
    .map(({ text }) => text);
}

describe('the bars of a run', () => {
  it('hold for a run without a flaw', () => {
    expect(failing({})).toEqual([]);
  });

  it.each([
    ['lost: 0', { audit: { ...fine.audit, lost: [{}] } }],
    ['lost: 0', { verdict: { ...fine.verdict, broken: { I1: 1 } } }],
    ['duplicate effects: 0', { audit: { ...fine.audit, duplicates: { issue: 1 } } }],
    ['duplicate effects: 0', { verdict: { ...fine.verdict, broken: { I7: 1 } } }],
    ['effects that nobody asked for: 0', { audit: { ...fine.audit, foreign: [{}] } }],
    ['order violations: 0', { verdict: { ...fine.verdict, broken: { I5: 2 } } }],
    ['invariants broken: none', { verdict: { ...fine.verdict, broken: { I9: 1 } } }],
    ['parked as unknown although there was evidence: 0', { truth: { ...fine.truth, overParked: [{}] } }],
    ['given up without a doubt: 0', { truth: { ...fine.truth, parked: { 'exhausted issue coffee-club': 1 } } }],
    ["findings of the retailer's judge: 0", retailer({ findings: 1 })],
    ["the retailer's judge looked at every record", retailer({ judged: { records: 6 } })],
    ['what it counts apart has its cause', retailer({ unbounded: ['partner-applied-late 2, of 1 at most'] })],
    ['nothing due within 60 s of healing', { rest: { ...fine.rest, workedSeconds: 61 } }],
    ['nothing due within 60 s of healing', { rest: { ...fine.rest, workedSeconds: null } }],
    ['nothing due within 60 s of healing', { rest: { ...fine.rest, isAtRest: false } }],
    ['all outcomes told', { rest: { ...fine.rest, outcomesSeconds: null } }],
    ['daemons that died by themselves: 0', { fleet: { ...fine.fleet, diedByThemselves: [{}] } }],
    ['all stopped with 0', { fleet: { ...fine.fleet, ends: [{ code: 1, signal: null }] } }],
    ['every kind of fault at least once', { faults: { ...fine.faults, notReached: ['daemon-kill'] } }],
    ['kill x commit-then-drop at least 50 times', { faults: { ...fine.faults, killsInDoubt: [] } }],
    ['100,000 events', { events: { acknowledged: 99_999 } }],
    ['a real Kafka', { kafka: { version: 'embedded', isReal: false } }],
  ])('%s', (text, change) => {
    expect(failing(change)).toContain(text);
  });

  it('ask a short run for nothing that it has no time for', () => {
    const short = {
      seconds: 12,
      faults: { notReached: ['daemon-kill'], killsInDoubt: [] },
      events: { acknowledged: 9 },
    };
    expect(failing({ ...short, rest: { ...fine.rest, workedSeconds: 70 } })).toEqual([]);
    expect(failing({ ...short, rest: { ...fine.rest, isAtRest: false } })).toEqual([
      'nothing due within 60 s of healing',
    ]);
  });
});
