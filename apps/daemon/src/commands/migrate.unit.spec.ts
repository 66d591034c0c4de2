import type { PlannedMigration } from '#platform';

import { describePlan } from './migrate.js';

const plain: PlannedMigration = {
  name: 'Adds1764000000001',
  breaking: null,
  isTransactional: true,
  creates: ['note'],
  effects: [
    {
      what: 'ALTER TABLE intent ADD COLUMN colour',
      table: 'intent',
      lock: 'everybody',
      work: 'short',
      breaks: null,
      size: { rows: 1_200_000, bytes: 536_870_912 },
    },
    { what: 'COMMENT ON TABLE intent', table: null, lock: 'none', work: 'short', breaks: null, size: null },
  ],
};

describe('describePlan', () => {
  it('says that nothing is to be done', () => {
    expect(describePlan([])).toBe('the schema is up to date\n');
  });

  it('says of each migration whom it stops, for how long, and how big the table is', () => {
    expect(describePlan([plain])).toBe(
      [
        'would run Adds1764000000001',
        '',
        'Adds1764000000001',
        '  compatible: processes of the release before go on working',
        '  new tables: note',
        '  ALTER TABLE intent ADD COLUMN colour, on intent (about 1200000 rows, 512 MB): stops all who use it for a moment',
        '',
      ].join('\n'),
    );
  });

  it('names what breaks, who must be gone first, and what can be left half done', () => {
    const breaking = { serves: 1_764_000_000_000, why: 'the old column goes' };
    const text = describePlan([{ ...plain, breaking, isTransactional: false, creates: [], effects: [] }]);
    expect(text).toContain(
      'BREAKING: the old column goes. Stop every process that knows less than schema 1764000000000',
    );
    expect(text).toContain('not in a transaction');
  });
});
