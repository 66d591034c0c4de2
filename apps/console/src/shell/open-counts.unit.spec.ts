import type { Stats } from '../now/problem.js';
import { openCounts } from './open-counts.js';

const quiet = { intents: [], quarantine: [], jobs: [], pauses: [] } as unknown as Stats;

it('says nothing of a screen on which nothing is open, and nothing at all before it knows', () => {
  expect([...openCounts(quiet)]).toEqual([]);
  expect([...openCounts(undefined)]).toEqual([]);
});

it('counts what is open on each screen over all programs and reasons', () => {
  const stats = {
    intents: [
      { program: 'a', status: 'parked', intents: 2 },
      { program: 'b', status: 'parked', intents: 3 },
      { program: 'b', status: 'delivered', intents: 900 },
    ],
    quarantine: [{ records: 4 }, { records: 7 }],
    jobs: [{}],
    pauses: [{}, {}],
  } as unknown as Stats;
  expect(Object.fromEntries(openCounts(stats))).toEqual({
    '/failures': { count: 5, what: 'parked' },
    '/quarantine': { count: 11, what: 'set aside' },
    '/jobs': { count: 1, what: 'not at their end' },
    '/pauses': { count: 2, what: 'in force' },
  });
});
