import type { Row, Specification } from '../specification.js';
import { loadSetup, loadSpecification } from '../specification.js';
import type { ContractClient, Seen } from './contract-client.js';
import { Session } from './session.js';

const { calls, scenes } = loadSpecification();
const specification: Specification = { calls, scenes, rows: [] };
const names = { isSuccess: () => true, isIssued: () => true, pages: { first: 1, second: 2 } };

function row(assumed: string | undefined): Row {
  const step = { call: 'lookup' as const, path: {}, query: {}, save: {}, expect: { status: 400 as const, body: {} } };
  const steps = [assumed === undefined ? step : { ...step, assumed }];
  return { id: '4 / t / k', section: '4', table: 't', key: 'k', words: 'w', after: [], steps, gateway: undefined };
}

function clientThatSees(seen: Partial<Seen>): ContractClient {
  return {
    name: 'plain',
    perform: () => Promise.resolve({ status: 200, body: {}, problems: [], ...seen }),
    spell: (expected) => expected,
    observe: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  };
}

const verdictOf = async (assumed: string | undefined, seen: Partial<Seen>): Promise<string> => {
  const session = new Session({ specification, setup: loadSetup(null), run: 'r', names });
  return (await session.runRow(row(assumed), clientThatSees(seen))).verdict;
};

describe('an answer that is not as expected', () => {
  it.each([
    ['fails the row where the document shows it', undefined, {}, 'failed'],
    ['is told where the document does not show it', 'what it is answered with', {}, 'otherwise'],
    [
      'fails the row where our own client is wrong',
      'what it is answered with',
      { problems: ['another body'] },
      'failed',
    ],
    ['is none where it is as assumed', 'what it is answered with', { status: 400 }, 'passed'],
  ])('%s', async (_what, assumed, seen, verdict) => {
    expect(await verdictOf(assumed, seen)).toBe(verdict);
  });
});
