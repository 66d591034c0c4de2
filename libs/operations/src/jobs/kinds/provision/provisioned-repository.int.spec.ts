import type { TestStore } from '#intents/testing';
import { now, testStore } from '#intents/testing';

import type { ProvisionedThing, ProvisionOutcome, ProvisionResolution } from './provisioned-repository.js';
import { ProvisionedRepository } from './provisioned-repository.js';

let store: TestStore;
let provisioned: ProvisionedRepository;

beforeEach(async () => {
  store = await testStore(8);
  provisioned = new ProvisionedRepository(store.database);
});

afterEach(() => store.close());

const stepId = '00000000-0000-4000-8000-000000000001';
const begun: ProvisionedThing = {
  ...{ kind: 'brand-attribute', brandId: '101', programId: null, transactionTypeId: null, name: 'birthday' },
  ...{ version: 1, stepId, action: 'create', state: 'begun', content: { name: 'birthday' }, placed: null },
  ...{ partnerId: null, at: now, until: now + 10_000, jobId: 'j1', actor: null, evidence: null },
};
const created: ProvisionOutcome = {
  state: 'created',
  partnerId: '7',
  at: now + 1,
  until: null,
  evidence: { status: 200 },
};
const unknown: ProvisionOutcome = { ...created, state: 'unknown', partnerId: null };
const audit = { at: now + 60_000, actor: 'ada', address: '10.0.0.1', reason: 'looked at the partner' };

const resolve = (change: Partial<ProvisionResolution> = {}): ReturnType<ProvisionedRepository['resolve']> =>
  provisioned.resolve({ stepId, as: 'created', partnerId: '7', audit, ...change });

const versions = (): Promise<{ version: number; state: string }[]> =>
  store.sql('SELECT version, state FROM provisioned ORDER BY version');

describe('what was done about a thing', () => {
  it('is begun by one of all who mean to', async () => {
    const attempts = Array.from({ length: 8 }, (_, index) => ({ ...begun, stepId: stepId.replace(/1$/, `${index}`) }));
    const results = await Promise.all(attempts.map((attempt) => provisioned.append(attempt)));
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await versions()).toEqual([{ version: 1, state: 'begun' }]);
  });

  it('is never rewritten', async () => {
    await provisioned.append(begun);
    for (const text of [
      `UPDATE provisioned SET state = 'created'`,
      'DELETE FROM provisioned',
      'TRUNCATE provisioned',
    ]) {
      await expect(store.sql(text)).rejects.toMatchObject({ sqlState: '23000' });
    }
  });

  it('is read back as it was written, the newest of each thing, of a program and its brand', async () => {
    const other: ProvisionedThing = {
      ...begun,
      ...{
        kind: 'transaction-attribute',
        programId: '2001',
        transactionTypeId: '31',
        name: 'receipt',
        stepId: stepId.replace(/1$/, '2'),
      },
    };
    const elsewhere: ProvisionedThing = { ...begun, brandId: '102', stepId: stepId.replace(/1$/, '3') };
    for (const thing of [begun, other, elsewhere]) await provisioned.append(thing);
    const settled = await provisioned.settle(begun, created);
    expect(settled).toEqual({ ...begun, ...created, version: 2, placed: begun.content });
    expect(await provisioned.find(begun)).toEqual(settled);
    expect(await provisioned.list({ brandId: '101', programId: '2001' })).toEqual([settled, other]);
    expect(await provisioned.list({ brandId: '101', programId: '2002' })).toEqual([settled]);
    expect(await provisioned.list(null)).toHaveLength(3);
  });
});

describe('an outcome', () => {
  it('is written once, also by who did not hear that it was', async () => {
    await provisioned.append(begun);
    const first = await provisioned.settle(begun, created);
    expect(await provisioned.settle(begun, created)).toEqual(first);
    expect(await versions()).toHaveLength(2);
  });

  it('that comes late settles what was given up, but not what a person has settled', async () => {
    await provisioned.append(begun);
    await provisioned.settle(begun, unknown);
    expect(await provisioned.settle(begun, created)).toMatchObject({ version: 3, state: 'created' });
    const again = { ...begun, version: 4, stepId: stepId.replace(/1$/, '2') };
    await provisioned.append(again);
    await provisioned.settle(again, unknown);
    await resolve({ stepId: again.stepId, as: 'not-created' });
    expect(await provisioned.settle(again, created)).toBeNull();
    expect(await provisioned.find(begun)).toMatchObject({ state: 'not-applied', actor: 'ada' });
  });
});

describe("a person's word", () => {
  it('settles what is in doubt, once, with a trace', async () => {
    await provisioned.append(begun);
    await provisioned.settle(begun, unknown);
    const results = await Promise.all([resolve(), resolve({ as: 'not-created' }), resolve()]);
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['not-in-doubt', 'not-in-doubt', 'resolved']);
    expect(await versions()).toHaveLength(3);
    const traces = await store.sql('SELECT action, actor, reason FROM operator_action');
    expect(traces).toEqual([{ action: 'provision.resolve', actor: 'ada', reason: audit.reason }]);
  });

  it('says what is there now, with the id by which it is changed', async () => {
    await provisioned.append(begun);
    expect(await resolve({ partnerId: null })).toEqual({ kind: 'id-needed' });
    expect(await resolve()).toMatchObject({
      kind: 'resolved',
      thing: { state: 'created', partnerId: '7', jobId: null },
    });
    expect(await provisioned.find(begun)).toMatchObject({ placed: { name: 'birthday' }, actor: 'ada' });
  });

  it('is not heard on what is under way, is settled, or never was', async () => {
    expect(await resolve()).toEqual({ kind: 'no-such-step' });
    await provisioned.append(begun);
    expect(await resolve({ audit: { ...audit, at: now } })).toMatchObject({ kind: 'not-in-doubt' });
    await provisioned.settle(begun, created);
    expect(await resolve()).toMatchObject({ kind: 'not-in-doubt', thing: { state: 'created' } });
  });
});
