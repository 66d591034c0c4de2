import { coverageOf, emptyCells } from './coverage.js';
import type { DrillResult } from './drills.js';
import type { RowResult } from './interpreter/session.js';
import { productCallers } from './product-callers.js';
import { callNames, loadSpecification } from './specification.js';

const specification = loadSpecification();
const row = (client: RowResult['client'], calls: RowResult['calls'], verdict: RowResult['verdict'] = 'passed') => ({
  id: 'x',
  client,
  verdict,
  problems: [],
  calls,
});
const drill = (call: DrillResult['call'], problems: readonly string[] = []): DrillResult => ({
  drill: 'garbage',
  kind: 'garbage',
  call,
  expected: 'unknown',
  seen: 'unknown',
  problems,
});

/** Everything has been run but what is left out. */
const allBut = (left: string): { results: RowResult[]; drills: DrillResult[] } => {
  const [call, column] = left.split(': ');
  const calls = callNames
    .filter((name) => name !== call || column !== 'plain')
    .map((name) => ({ call: name, ok: true }));
  const through = callNames.filter((name) => name !== call || column !== 'gateway');
  return {
    results: [
      row('plain', calls),
      row(
        'gateway',
        through.map((name) => ({ call: name, ok: true })),
      ),
    ],
    drills: callNames.filter((name) => name !== call || column !== 'faults').map((name) => drill(name)),
  };
};

const callers = productCallers();

describe('the coverage', () => {
  it('sees that nothing of the product makes a call', () => {
    const none = new Map([...(callers ?? [])].filter(([call]) => call !== 'update-brand'));
    const lines = coverageOf({ specification, ...allBut('nothing: at all'), callers: none });
    expect(emptyCells(lines)).toEqual(['update-brand: product']);
  });

  it('has no empty cell when every call was made by both clients and drilled', () => {
    expect(emptyCells(coverageOf({ specification, ...allBut('nothing: at all'), callers }))).toEqual([]);
  });

  it.each([
    ['reward: plain', ['reward: service']],
    ['reward: gateway', ['reward: gateway']],
    ['token: faults', ['token: faults']],
  ])('sees that %s is left out', (left, empty) => {
    expect(emptyCells(coverageOf({ specification, ...allBut(left), callers }))).toEqual(empty);
  });

  it('counts what came back as documented, of what was called', () => {
    const results = [
      row(
        'plain',
        [
          { call: 'issue', ok: true },
          { call: 'issue', ok: false },
        ],
        'failed',
      ),
      row('plain', [{ call: 'issue', ok: true }]),
    ];
    const drills = [drill('issue'), drill('issue', ['came out otherwise'])];
    const line = coverageOf({ specification, results, drills, callers: null }).find(({ call }) => call === 'issue');
    expect(line).toMatchObject({
      section: '4.2',
      service: { good: 2, all: 3 },
      rows: { good: 1, all: 2 },
      faults: { good: 1, all: 2 },
      gateway: { good: 0, all: 0 },
    });
  });

  it('has no cell for dials that a service does not have', () => {
    const lines = coverageOf({ specification, results: allBut('').results, drills: null, callers: null });
    expect(emptyCells(lines)).toEqual([]);
  });

  it('is empty where all of what was called failed', () => {
    const results = [row('plain', [{ call: 'list', ok: false }], 'failed')];
    expect(emptyCells(coverageOf({ specification, results, drills: null, callers: null }))).toContain('list: service');
  });
});
