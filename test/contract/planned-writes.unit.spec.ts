import { plannedWrites, planText } from './planned-writes.js';
import { planContract } from './run-contract.js';
import { loadSetup } from './specification.js';

const setup = loadSetup(null);
const counts = (selection: Parameters<typeof planContract>[1], mayNot: typeof setup.mayNot = []): object =>
  Object.fromEntries(
    plannedWrites(planContract(null, selection), { ...setup, mayNot }).map(({ call, count }) => [call, count]),
  );

describe('what a run is going to write', () => {
  it('is everything that some step writes', () => {
    expect(Object.keys(counts(null)).sort()).toEqual([
      'create-brand-attribute',
      'create-template',
      'create-transaction-attribute',
      'issue',
      'issue-via-workflow',
      'reward',
      'schedule-update',
      'transaction',
      'update-brand',
      'update-brand-attribute',
      'update-transaction-type',
      'update-via-workflow',
    ]);
  });

  it('is nothing where only reading is allowed', () => {
    expect(counts('read')).toEqual({});
    const words = planText([], { baseUrl: 'https://x.invalid/brands', setup, run: 'r1' });
    expect(words).toBe('https://x.invalid/brands: nothing will be written.');
  });

  it('leaves out what the account may not do', () => {
    expect(counts(null)).toHaveProperty('update-brand');
    expect(counts(null, ['update-brand'])).not.toHaveProperty('update-brand');
  });

  it('says where, what and how much', () => {
    const words = planText([{ call: 'issue', what: 'wallet pass', count: 12 }], {
      baseUrl: 'https://x.invalid/brands',
      setup,
      run: 'r1',
    });
    expect(words).toContain('https://x.invalid/brands, brand 101, program 2001');
    expect(words).toContain('ct-r1');
    expect(words).toContain('  12 x wallet pass (issue)');
  });
});
