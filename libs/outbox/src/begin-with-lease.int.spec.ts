import { waitUntil } from '#embedded';
import { DatabaseError } from '#platform';
import type { SqlStatement } from '#platform';
import { testDatabase } from '#test-support';
import type { TestDatabase } from '#test-support';

import { DeliveryFixture } from './testing/delivery-fixture.js';
import { exampleProgram } from './testing/engine-harness.js';

let test: TestDatabase;
let fixture: DeliveryFixture;

beforeEach(async () => {
  test = await testDatabase();
  fixture = await DeliveryFixture.open(test.url);
});

afterEach(async () => {
  await fixture.close();
  await test.dispose();
});

const programs = { p: { ...exampleProgram(), limits: { requestsPerSecond: null, concurrency: 10, replayShare: 0.2 } } };
const isClaim = ({ name }: SqlStatement): boolean => name.startsWith('claim_lanes_');
const delivered = (count: number): Promise<unknown> =>
  waitUntil(async () => (await fixture.delivered('p')) === count, { what: `${count} delivered`, timeoutMs: 60_000 });
const history = 'SELECT type FROM intent_history ORDER BY lane_id, version';

describe('an attempt that begins with the lease', () => {
  it('costs two transactions, one before the call and one after it', async () => {
    await fixture.record({ program: 'p', members: 1 });
    const execute = jest.spyOn(fixture.database, 'execute');
    const transaction = jest.spyOn(fixture.database, 'transaction');
    fixture.start(programs);
    await delivered(1);
    const { calls, results } = execute.mock;
    const rows = await Promise.all(results.map(({ value }) => value as Promise<{ readonly rowCount: number }>));
    const effective = calls.flatMap(([statement], index) => {
      const isOurs = isClaim(statement) || statement.name === 'record_lane_steps';
      return isOurs && (rows[index]?.rowCount ?? 0) > 0 ? [statement] : [];
    });
    expect(effective.map(({ name }) => name.replace(/\d+/, 'N'))).toEqual(['claim_lanes_N', 'record_lane_steps']);
    expect(transaction.mock.calls.map(([name]) => name)).not.toContain('record_lane_steps');
    expect(await fixture.sql(history)).toEqual([{ type: 'AttemptBegun' }, { type: 'AttemptApplied' }]);
  });

  it('is in no doubt where the claim was carried out and its answer was lost', async () => {
    await fixture.record({ program: 'p', members: 20 });
    const { database } = fixture;
    const execute = database.execute.bind(database);
    let isLost = false;
    jest.spyOn(database, 'execute').mockImplementation(async (statement, parameters) => {
      const result = await execute(statement, parameters);
      if (isLost || !isClaim(statement) || result.rowCount === 0) return result;
      isLost = true;
      throw new DatabaseError('execute', 'unavailable', { sqlState: null, cause: null });
    });
    fixture.start(programs);
    await delivered(20);
    const types = (await fixture.sql<{ type: string }>(history)).map(({ type }) => type);
    expect(new Set(types)).toEqual(new Set(['AttemptBegun', 'AttemptApplied']));
    expect(types).toHaveLength(40);
    expect(fixture.partner.calls).toHaveLength(20);
    expect(isLost).toBe(true);
  });

  it('leaves no more in doubt after a kill than calls are under way', async () => {
    await fixture.record({ program: 'p', members: 200 });
    const answers = Promise.withResolvers<undefined>();
    const { answer } = fixture.partner;
    fixture.partner.answer = async (command) => {
      await answers.promise;
      return answer(command);
    };
    fixture.start(programs);
    await waitUntil(() => fixture.partner.calls.length === 10, { what: 'all places taken', timeoutMs: 60_000 });
    const looks = `SELECT count(*) FILTER (WHERE attempt_open)::int AS open, count(owner)::int AS held FROM lane`;
    await waitUntil(async () => ((await fixture.sql<{ held: number }>(looks))[0]?.held ?? 0) > 20, {
      what: 'lanes that wait for a place',
      timeoutMs: 60_000,
    });
    expect(await fixture.sql(looks)).toMatchObject([{ open: 10 }]);
    answers.resolve(undefined);
    await delivered(200);
  });
});
