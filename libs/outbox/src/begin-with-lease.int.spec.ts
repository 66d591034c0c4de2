import { waitUntil } from '#embedded';
import { DatabaseError } from '#platform';
import type { SqlStatement } from '#platform';
import { queryOnce, testDatabase } from '#test-support';
import type { TestDatabase } from '#test-support';

import type { DeliveryLoop } from './delivery-loop.js';
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

describe('an attempt that begins as its intent is recorded', () => {
  const members = Array.from({ length: 200 }, (_, index) => `m_${index}`);
  let loop: DeliveryLoop;
  const takesOver = (): boolean => {
    const offer = loop.offer('p', 1);
    offer?.refused();
    return offer !== null;
  };
  const isQuiet = (): Promise<unknown> => waitUntil(takesOver, { what: 'nothing is due', timeoutMs: 60_000 });

  /** Sales have been delivered before, so that the lanes and their passes are known. */
  async function startAfter(sales: number): Promise<void> {
    await fixture.record({ program: 'p', members: sales });
    fixture.hearsOthers = true;
    loop = fixture.start(programs);
    await delivered(sales);
    await isQuiet();
    fixture.handOver = loop;
  }

  /** The transaction that records ends so, once. */
  function endOnce(end: (result: Promise<unknown>) => Promise<never>): void {
    const { database } = fixture;
    const transaction = database.transaction.bind(database);
    const spy = jest.spyOn(database, 'transaction');
    spy.mockImplementation((name, work) => {
      if (name !== 'record_batch') return transaction(name, work);
      spy.mockImplementation(transaction);
      return end(transaction(name, work));
    });
  }

  it('costs one transaction before the call, which records it, and one after it', async () => {
    await startAfter(1);
    const execute = jest.spyOn(fixture.database, 'execute');
    const transaction = jest.spyOn(fixture.database, 'transaction');
    expect(await fixture.sell('p', ['m_0'])).toMatchObject({ intents: 1, isUnderWay: true });
    await delivered(2);
    const names = execute.mock.calls.map(([{ name }]) => name);
    expect(names.filter((name) => name === 'record_lane_steps')).toHaveLength(1);
    expect(names.filter((name) => name.startsWith('claim_lanes_'))).toEqual([]);
    expect(transaction.mock.calls.map(([name]) => name)).toEqual(['record_batch']);
    const types = (await fixture.sql<{ type: string }>(history)).map(({ type }) => type);
    expect(types).toEqual(['AttemptBegun', 'AttemptApplied', 'AttemptBegun', 'AttemptApplied']);
  });

  it('is sent once where the commit was carried out and its answer was lost', async () => {
    await startAfter(5);
    endOnce(async (result) => {
      await result;
      throw new DatabaseError('record_batch', 'unavailable', { sqlState: null, cause: null });
    });
    await expect(fixture.sell('p', members.slice(0, 5))).rejects.toThrow(DatabaseError);
    await delivered(10);
    expect(fixture.partner.calls).toHaveLength(10);
    const types = (await fixture.sql<{ type: string }>(history)).map(({ type }) => type);
    expect(types.filter((type) => type === 'AttemptBegun')).toHaveLength(10);
    expect(types).toHaveLength(20);
  });

  it('leaves nothing behind where the recording was rolled back', async () => {
    await startAfter(1);
    const refusal = `
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE check_violation; END $$;
      CREATE CONSTRAINT TRIGGER refuses AFTER INSERT ON intent DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION refuse()`;
    await queryOnce(test.ownerUrl, refusal);
    await expect(fixture.sell('p', ['m_0'])).rejects.toThrow(DatabaseError);
    await queryOnce(test.ownerUrl, 'DROP TRIGGER refuses ON intent');
    await isQuiet();
    expect(await fixture.sql('SELECT attempt_open, owner FROM lane')).toEqual([{ attempt_open: false, owner: null }]);
    expect(await fixture.sell('p', ['m_0'])).toMatchObject({ isUnderWay: true });
    await delivered(2);
  });

  it('begins no more than the places that are free, and leaves the others to a claim', async () => {
    await startAfter(200);
    const answers = Promise.withResolvers<undefined>();
    const { answer } = fixture.partner;
    fixture.partner.answer = async (command) => {
      await answers.promise;
      return answer(command);
    };
    expect((await fixture.sell('p', members)).isUnderWay).toBeUndefined();
    expect(await fixture.sql('SELECT count(*) FILTER (WHERE attempt_open)::int AS open FROM lane')).toEqual([
      { open: 10 },
    ]);
    answers.resolve(undefined);
    loop.setPrograms(programs);
    await delivered(400);
  });

  it('is waited for by a process that ends', async () => {
    await startAfter(1);
    const offer = loop.offer('p', 1);
    const drained = loop.drain();
    expect(takesOver()).toBe(false);
    offer?.refused();
    await drained;
  });
});
