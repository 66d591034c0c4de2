import { parseProgramsFile } from '#contracts';

import { enrolment, historyOf, laneOf, purchase, Till } from '../../testing/records.js';
import { beginOf, claim, deliverOne, leaseOf, stepOf } from '../../testing/lease.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import { loadCommandsMax } from '../operator/load-commands.js';
import { AuditRepository } from '../operator/operator-action.js';
import { recordSteps } from '../lanes/record-steps.js';
import { forgetPasses } from '../passes/forget-passes.js';
import { rebuildLanes } from '../rebuild/rebuild-lanes.js';
import { findProgramsAtWork } from './programs-facts.js';
import type { TakenPrograms } from './programs-loads.js';
import { examinePrograms, ProgramsLoadRepository, programsLoadsMax } from './programs-loads.js';

const now = Date.UTC(2026, 10, 21);

let store: TestStore;
let loads: ProgramsLoadRepository;
let till: Till;

beforeEach(async () => {
  store = await testStore(4);
  loads = new ProgramsLoadRepository(store.database, store.keys.members);
  till = new Till(store);
});

afterEach(() => store.close());

/** @param hash of two hex digits */
function taken(hash: string, program = 'brandId: 101, programId: 2001', name = 'coffee-club'): TakenPrograms {
  const parsed = parseProgramsFile(`programs: { ${name}: { ${program} } }`);
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return { hash, content: JSON.stringify(parsed.value), host: 'pod-0' };
}

const wider = (hash: string): TakenPrograms =>
  taken(hash, 'brandId: 101, programId: 2001, purchaseKey: [storeId, purchaseId]');
const ann = { at: now, actor: 'ann', address: null, reason: 'a second store opens' };
const inForce = async (): Promise<string | undefined> => (await loads.list())[0]?.hash;
const read = (file: TakenPrograms, accept: readonly string[] = [], changed = true) => ({
  ...{ loaded: { hash: file.hash, changed }, taken: file, accept },
});

describe('a programs file', () => {
  it('is kept with who asked for it, once however many processes take it over', async () => {
    await Promise.all([loads.admit(taken('aa01'), now), loads.admit(taken('aa01'), now)]);
    await loads.requestReload(read(taken('bb02')), { ...ann, at: now + 1 });
    await loads.admit(taken('bb02'), now + 2);
    await loads.admit(taken('aa01'), now + 3);
    expect(await loads.list()).toMatchObject([
      { hash: 'aa01', at: now + 3, actor: null, reason: null },
      { hash: 'bb02', at: now + 1, host: 'pod-0', actor: 'ann', reason: ann.reason, accepted: [] },
      { hash: 'aa01', at: now },
    ]);
  });

  it('is kept as far as there is room: the last ones, and none that is huge but the last', async () => {
    for (let file = 0; file < programsLoadsMax + 2; file += 1) {
      await loads.admit(taken(file % 2 === 0 ? 'aa01' : 'bb02'), now + file);
    }
    const huge = { ...taken('cc03'), content: taken('cc03').content + ' '.repeat(256 * 1024) };
    await loads.admit(huge, now + 60_000);
    expect(await loads.list()).toHaveLength(programsLoadsMax);
    expect((await loads.list())[0]).toMatchObject({ hash: 'cc03', content: huge.content });
    await loads.admit(taken('dd04'), now + 60_001);
    expect((await loads.list())[1]).toMatchObject({ hash: 'cc03', content: null });
    expect(await store.sql('SELECT count(*)::int AS count FROM programs_load')).toEqual([{ count: programsLoadsMax }]);
  });

  it('is any, where nothing is there', async () => {
    for (const file of [taken('aa01'), wider('bb02'), taken('cc03', 'brandId: 1, programId: 2', 'tea')]) {
      expect(await loads.admit(file, now)).toEqual([]);
      expect(await inForce()).toBe(file.hash);
    }
  });

  it('does not come into force where a sale told again would be sold twice; the old one stays, for every process', async () => {
    await loads.admit(taken('aa01'), now);
    await till.record(purchase('p1', 'm1'));
    const problem = expect.stringMatching(/^programs\.coffee-club\.purchaseKey: it was purchaseId/) as string;
    expect(await loads.admit(wider('bb02'), now)).toEqual([problem]);
    expect(await loads.requestReload(read(wider('bb02')), ann)).toEqual([problem]);
    expect(await inForce()).toBe('aa01');
    expect((await examinePrograms(store.database, wider('bb02'), null)).map(({ name }) => name)).toEqual([
      'coffee-club.purchaseKey',
    ]);
    const nobody = { actor: null, action: null, programs: null, before: null, limit: 5 };
    expect((await new AuditRepository(store.database).list(nobody)).items).toEqual([]);
    expect(await loads.admit(taken('aa01'), now)).toEqual([]);
  });

  it('whose sources leave a topic that was read, or refuse what is set aside, waits for an admin', async () => {
    const sales = ['loyalty.purchase.completed.v1', 'loyalty.purchase.refunded.v1'];
    const withSource = (hash: string, change: object = {}): TakenPrograms => {
      const file = JSON.parse(taken(hash).content) as object;
      const source = {
        topics: [till.source.topic],
        format: 'json',
        map: '[]',
        types: sales,
        programs: ['coffee-club'],
        may: [],
      };
      return { ...taken(hash), content: JSON.stringify({ ...file, sources: { web: { ...source, ...change } } }) };
    };
    await loads.admit(withSource('aa01'), now);
    await till.record(purchase('p1', 'm1'));
    const narrower = { types: sales.slice(1) };
    const named = async (file: TakenPrograms): Promise<string[]> =>
      (await examinePrograms(store.database, file, null)).map(({ name }) => name);
    expect(await named(withSource('bb02', narrower))).toEqual([]);
    expect(await named(taken('bb02'))).toEqual(['sources.web.topics']);
    expect(await named(withSource('bb02', { may: ['erase'] }))).toEqual(['sources.web.may.erase']);
    const original = { offset: till.offset, brokerAt: now, key: null, value: Buffer.from('{}'), headersText: '{}' };
    await till.recordPrepared([{ original, verdict: { kind: 'quarantine', reason: 'invalid', detail: 'no id' } }]);
    expect(await loads.admit(withSource('cc03', narrower), now)).toEqual([
      expect.stringMatching(
        /^sources\.web\.types: loyalty\.purchase\.completed\.v1 is taken away, while records/,
      ) as string,
    ]);
    expect(await loads.requestReload(read(withSource('cc03', narrower), ['sources.web.types']), ann)).toEqual([]);
  });

  it('is judged by what has left, too', async () => {
    await loads.admit(taken('aa01'), now);
    await store.sql(`INSERT INTO intent_tally VALUES ('', -1, 'coffee-club', 'transaction', 1)`);
    expect(await loads.admit(wider('bb02'), now)).toHaveLength(1);
  });

  it('comes into force where an admin accepts just what is dangerous in it, for every process and later starts', async () => {
    await loads.admit(taken('aa01'), now);
    await till.record(purchase('p1', 'm1'));
    const accept = ['coffee-club.purchaseKey'];
    expect(await loads.requestReload(read(wider('bb02'), [...accept, 'coffee-club.currency']), ann)).toEqual([
      'accept: coffee-club.currency is no change that has to be accepted',
    ]);
    expect(await loads.requestReload(read(wider('bb02'), accept), ann)).toEqual([]);
    expect(await loads.admit(wider('bb02'), now + 1)).toEqual([]);
    expect(await loads.list()).toMatchObject([{ hash: 'bb02', actor: 'ann', accepted: accept }, { hash: 'aa01' }]);
    const { items } = await new AuditRepository(store.database).list({
      ...{ actor: null, action: 'programs.reload', programs: null, before: null, limit: 1 },
    });
    expect(items[0]?.detail).toEqual({ hash: 'bb02', changed: true, accepted: accept });
    // Back is as dangerous.
    expect(await loads.admit(taken('aa01'), now + 2)).toHaveLength(1);
  });

  it('with which another process could not start is accepted through one that runs', async () => {
    await loads.admit(taken('aa01'), now);
    await till.record(purchase('p1', 'm1'));
    const accept = ['coffee-club.purchaseKey'];
    const running = read(taken('aa01'), accept, false);
    expect(await loads.requestReload(running, ann)).toEqual(['accept: no file was refused']);
    await loads.admit(wider('bb02'), now);
    expect(await loads.requestReload(running, ann)).toEqual([]);
    expect(await loads.admit(wider('bb02'), now + 1)).toEqual([]);
    expect(await inForce()).toBe('bb02');
    expect(await loads.requestReload(running, ann)).toEqual(['accept: no file was refused']);
  });

  it('cannot leave a program out of which something is open, nor rename one', async () => {
    await loads.admit(taken('aa01'), now);
    await till.record(enrolment('e1', 'm1'));
    expect(await findProgramsAtWork(store.database)).toEqual(['coffee-club']);
    const tea = taken('bb02', 'brandId: 1, programId: 2', 'tea');
    expect(await loads.requestReload(read(tea, ['coffee-club']), ann)).toEqual([
      expect.stringContaining('nobody would send it') as string,
    ]);
    await deliverOne(store);
    expect(await findProgramsAtWork(store.database)).toEqual([]);
    expect(await loads.admit(tea, now)).toEqual([expect.stringContaining('or accept coffee-club: ') as string]);
    const renamed = taken('cc03', 'brandId: 101, programId: 2001', 'coffee-club-plus');
    expect(await loads.requestReload(read(renamed, ['coffee-club']), ann)).toEqual([
      expect.stringContaining('keep the name') as string,
    ]);
    expect(await loads.requestReload(read(tea, ['coffee-club']), ann)).toEqual([]);
  });

  it('that names another program of the partner is accepted as its move: the cards of before count as gone', async () => {
    await loads.admit(taken('aa01'), now);
    await till.record(enrolment('e1', 'm1'), enrolment('e2', 'm2'));
    await deliverOne(store, { limit: 1 });
    const moved = taken('bb02', 'brandId: 101, programId: 2002');
    expect(await loads.admit(moved, now)).toEqual([
      expect.stringContaining('or accept coffee-club.programId: the cards count as gone') as string,
    ]);
    expect(await loads.requestReload(read(moved, ['coffee-club.programId']), ann)).toEqual([]);
    expect(await forgetPasses(store.database)).toEqual({ program: 'coffee-club', forgotten: 1 });
    expect(await forgetPasses(store.database)).toEqual({ program: 'coffee-club', forgotten: 0 });
    expect(await forgetPasses(store.database)).toBeNull();
    const lanes = [await laneOf(store, 'm1'), await laneOf(store, 'm2')];
    expect(lanes.map(({ pass }) => pass).toSorted()).toEqual(['absent', 'unknown']);
    const left = lanes.find(({ pass }) => pass === 'absent');
    const [{ member } = { member: '' }] = await store.sql<{ member: string }>(
      'SELECT member_id AS member FROM member WHERE lane_id = $1',
      left?.lane_id ?? 0,
    );
    expect((await historyOf(store, member)).at(-1)).toBe('0 PassAbsent');
    await rebuildLanes(store.owned, now + 3_600_000);
    expect(await laneOf(store, member)).toMatchObject({ pass: 'absent', version: left?.version });
  });

  it('that is a move lets nothing begin until the cards are forgotten, also not what was claimed before', async () => {
    await loads.admit(taken('aa01'), now);
    await till.record(enrolment('e1', 'm1'));
    await deliverOne(store);
    await till.record(purchase('p1', 'm1'), enrolment('e2', 'm2'));
    const leases = (await claim(store)).map(leaseOf);
    expect(leases).toHaveLength(2);
    await till.record(purchase('p3', 'm3'));
    const moved = taken('bb02', 'brandId: 101, programId: 2002');
    expect(await loads.requestReload(read(moved, ['coffee-club.programId']), ann)).toEqual([]);
    const tried = leases.map((lease) => stepOf(lease, { begin: beginOf(lease.seq) }));
    const results = await recordSteps(store.database, { steps: tried, now, isRetry: false }, store.keys);
    expect(results.map(({ begun }) => begun)).toEqual([false, false]);
    expect(await claim(store)).toEqual([]);
    await forgetPasses(store.database);
    expect(await claim(store)).toEqual([]);
    await forgetPasses(store.database);
    expect(await claim(store)).toHaveLength(1);
    // Whose card was forgotten is claimed anew; who never had one goes on.
    const after = await recordSteps(store.database, { steps: tried, now, isRetry: false }, store.keys);
    const m1 = await laneOf(store, 'm1');
    expect(after.map(({ laneId, begun }) => [laneId === m1.lane_id, begun]).toSorted()).toEqual([
      [false, true],
      [true, false],
    ]);
  });

  it('knows of each open reward, and of no other, however many there are', async () => {
    const rewards = (text: string): string => `brandId: 101, programId: 2001, rewards: { ${text} }`;
    await loads.admit(taken('aa01', rewards('coffee: 9001, cake: 9002')), now);
    const granted = (id: string): ReturnType<typeof purchase> => {
      const grant = purchase(id, `m-${id}`);
      const [first] = grant.verdict.intents;
      const { command } = first!;
      const reward = { ...command!, operation: 'reward', rewardId: '9001' } as unknown as typeof command;
      const intents = [{ ...first!, operation: 'reward' as const, command: reward }];
      return { ...grant, type: 'loyalty.reward.granted.v1', verdict: { ...grant.verdict, intents } };
    };
    await till.record(...Array.from({ length: loadCommandsMax }, (_, index) => granted(`g${index}`)));
    await till.record(granted('g'));
    expect(await loads.admit(taken('bb02', rewards('coffee: 9001')), now)).toEqual([]);
    expect(await loads.admit(taken('cc03', rewards('cake: 9002')), now)).toEqual([
      expect.stringMatching(/^programs\.coffee-club\.rewards\.coffee: /) as string,
    ]);
  });
});
