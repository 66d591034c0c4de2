import { describeDialect } from '#gateway';

import type { Assumption } from './assumptions.js';
import { loadAssumptions, UnknownNames } from './assumptions.js';

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
      'success.denied.flags',
      'success.denied.errors',
      'success.denied.statusPattern',
      'success.denied.pattern',
      'success.compare.ignore',
      'success.compare.amountTolerance',
      'success.compare.dateToleranceSeconds',
      'error.configurationStatuses',
      'tooManyRequests',
      'notApplied.statuses',
      'evidence.headers',
      'status.dead',
      'lookup.trustWithoutMetaData',
      'lookup.trustSharedWithoutMetaData',
      'lookup.severalMatches',
      'lookup.emptyList',
      'duplicate.templates',
      'duplicate.beside',
      'list.workflowProperty',
      'schedule.selectBy',
      'schedule.leadMs',
      'schedule.confirmation.pattern',
      'schedule.changeAt',
      'brandAttribute.numbers',
      'transactionAttribute.numbers',
      'token.path',
      'token.body',
      'token.credentials',
      'token.names.grantType',
      'token.names.clientId',
      'token.names.clientSecret',
      'token.names.scope',
      'token.grantType',
      'token.fields',
      'token.answer.accessToken',
      'token.answer.expiresIn',
      'token.answer.expiresInUnit',
      'token.answer.tokenType',
    ]);
  });
});

const refusal = (message: string, status = 400): Parameters<typeof UnknownNames.from>[0] => ({
  status,
  body: { message },
  problems: [],
});

describe('how a partner speaks of unknown names', () => {
  it.each([
    [
      'filters: Unrecognized key: "zzContract"; name: Required',
      'Unrecognized key: "pageSize"',
      'pageSize: must be a number',
    ],
    [
      'property zzContract should not exist, name must be a string',
      'Bad request: property pageSize should not exist',
      'property pageSize must be a number',
    ],
    ['Unknown parameter zzContract.', 'Unknown parameter pageSize.', 'Unknown value of parameter pageSize.'],
  ])('%s', (control, unknown, known) => {
    const names = UnknownNames.from(refusal(control), ['message']);
    expect(names.isSpoken).toBe(true);
    expect(names.refuses('pageSize', refusal(unknown))).toBe(true);
    expect(names.refuses('pageSize', refusal(known))).toBe(false);
    expect(names.refuses('page', refusal(unknown))).toBe(false);
  });

  it.each([refusal('Bad request'), refusal('zzContract taken', 200), refusal('zzContract', 500)])(
    'cannot be learned from %j',
    (seen) => {
      const names = UnknownNames.from(seen, ['message']);
      expect(names.isSpoken).toBe(false);
      expect(names.refuses('zzContract', refusal('zzContract'))).toBe(false);
    },
  );
});
