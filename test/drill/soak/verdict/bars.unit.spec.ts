import type { SoakFindings } from '../report.js';
import { barsOf } from './bars.js';

const flat = { process: 'veteran', by: 'run', quarters: [90, 100, 100, 101], ratio: 1.01 };
const restart = { process: 'daemon 1', round: 0, drainMs: 900, readyMs: 2_000, end: '0' };

const fine = {
  minutes: 20,
  rounds: 1,
  daemons: 1,
  kafka: { version: '4.3.1', isReal: true },
  restarts: [restart],
  fleet: { startsFailed: 0, diedByThemselves: [], ends: [{ code: 0, signal: null }] },
  rest: { isAtRest: true, seconds: 2, outcomesSeconds: 0.2, pausesLifted: [], left: { records: 0, lanes: 0 } },
  longestStall: 3,
  looksFailed: 0,
  leftovers: { 'lanes leased': 0, 'connections to Postgres': 0 },
  memory: [flat],
  descriptors: [flat],
  lines: { byLevel: {}, expected: {}, unexpected: [] },
  notInjected: { unknowns: [], parked: {} },
  audit: { lost: [], duplicates: {}, foreign: [] },
  truth: { overParked: [] },
  verdict: { broken: {}, recordsInLog: 7, retailer: { findings: 0, judged: { records: 7 }, unbounded: [] } },
} as unknown as SoakFindings;

function failing(change: object): string[] {
  return barsOf({ ...fine, ...change })
    .filter(({ holds, decides }) => decides && !holds)
    .map(({ text }) => text);
}

describe('the bars of a soak', () => {
  it('hold for a run without a flaw', () => {
    expect(failing({})).toEqual([]);
  });

  it.each([
    ['lost: 0', { audit: { ...fine.audit, lost: [{}] } }],
    ['lost: 0', { verdict: { ...fine.verdict, broken: { I1: 1 } } }],
    ['duplicate effects: 0', { audit: { ...fine.audit, duplicates: { issue: 1 } } }],
    [
      "findings of the retailer's judge: 0",
      { verdict: { ...fine.verdict, retailer: { ...fine.verdict.retailer, findings: 2 } } },
    ],
    ['order violations: 0', { verdict: { ...fine.verdict, broken: { I5: 1 } } }],
    ['invariants broken: none', { verdict: { ...fine.verdict, broken: { I23: 1 } } }],
    ['every daemon restarted every minute: 1', { restarts: [] }],
    ['restarts that did not end with 0: 0', { restarts: [{ ...restart, end: '1' }] }],
    ['restarts that did not end with 0: 0', { restarts: [{ ...restart, end: 'SIGKILL' }] }],
    ['starts that failed: 0', { fleet: { ...fine.fleet, startsFailed: 1 } }],
    ['daemons that died by themselves: 0', { fleet: { ...fine.fleet, diedByThemselves: [{}] } }],
    ['all stopped with 0', { fleet: { ...fine.fleet, ends: [null] } }],
    ['everything came to rest', { rest: { ...fine.rest, isAtRest: false } }],
    ['all outcomes told', { rest: { ...fine.rest, outcomesSeconds: null } }],
    ['operations paused by the daemons: 0', { rest: { ...fine.rest, pausesLifted: ['coffee-club issue'] } }],
    ['unknown outcomes while the partner was well: 0', { notInjected: { unknowns: ['x'], parked: {} } }],
    [
      'parked, and not because of what was done: 0',
      { notInjected: { unknowns: [], parked: { 'exhausted issue': 1 } } },
    ],
    ['warnings and errors that nobody brought about: 0', { lines: { ...fine.lines, unexpected: [{}] } }],
    ['looks that failed: 0', { looksFailed: 1 }],
    ['no stall longer than 60 s', { longestStall: 60.1 }],
    ['left behind: lanes leased: 0', { leftovers: { 'lanes leased': 1 } }],
    ['memory of veteran (by run), last quarter <= 1.1 x the second', { memory: [{ ...flat, ratio: 1.101 }] }],
    ['memory of veteran (by run), last quarter <= 1.1 x the second', { memory: [{ ...flat, ratio: null }] }],
    ['memory was seen', { memory: [] }],
    ['descriptors of veteran (by run), last quarter <= 1.25 x the second', { descriptors: [{ ...flat, ratio: 1.3 }] }],
    ['a real Kafka', { kafka: { version: 'embedded', isReal: false } }],
  ])('%s', (text, change) => {
    expect(failing(change)).toContain(text);
  });

  it('show the sandbox, and do not judge it', () => {
    expect(failing({ memory: [flat, { ...flat, process: 'sandbox', ratio: 1.3 }] })).toEqual([]);
  });

  it('ask a short run for nothing that it has no time for', () => {
    const kafka = { version: 'embedded', isReal: false };
    expect(failing({ minutes: 3, memory: [{ ...flat, ratio: null }], descriptors: [], kafka })).toEqual([]);
  });
});
