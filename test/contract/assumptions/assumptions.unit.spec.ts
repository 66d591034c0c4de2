import { describeDialect } from '#gateway';
import { type Assumption, loadAssumptions } from './assumption.js';

const { assumptions } = loadAssumptions();
const dialect = describeDialect();

/** How an assumption is found out. */
const waysOf = ({ steps, recognised, unprobed }: Assumption): unknown[] =>
  [steps.length > 0, recognised !== undefined, unprobed !== undefined].filter(Boolean);

describe('the assumptions', () => {
  it('are the entries of the dialect, each once', () => {
    expect(assumptions.map(({ entry }) => entry).sort()).toEqual(dialect.map(({ path }) => path).sort());
  });

  it.each(dialect.map((entry) => [entry.path, entry.default]))(
    'assume what the dialect does for %s',
    (path, standard) => {
      const assumption = assumptions.find(({ entry }) => entry === path);
      expect(JSON.stringify(assumption?.assumed)).toBe(standard);
    },
  );

  it('are probed, or say why not', () => {
    expect(assumptions.filter((assumption) => waysOf(assumption).length !== 1)).toEqual([]);
    expect(assumptions.filter(({ unprobed }) => unprobed !== undefined).map(({ entry }) => entry)).toEqual([
      'success.proof.issue',
      'success.proof.issue-via-workflow',
      'success.proof.update-via-workflow',
      'success.proof.transaction',
      'success.proof.reward',
      'success.proof.schedule-update',
      'success.requireMetaData',
      'tooManyRequests',
      'lookup.trustWithoutMetaData',
      'lookup.severalMatches',
      'lookup.emptyList',
      'list.workflowProperty',
      'schedule.selectBy',
      'schedule.leadMs',
    ]);
  });
});
