import { AuditRepository } from '../operator/operator-action.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import type { ProcessReport } from './process.js';
import { disagreeingSince, ProcessRepository, processKeptMs, processTtlMs } from './process.js';
import type { TakenPrograms } from './programs-loads.js';
import { ProgramsLoadRepository } from './programs-loads.js';

let store: TestStore;
let programsLoads: ProgramsLoadRepository;
let processes: ProcessRepository;
const now = Date.UTC(2026, 10, 21);
const ids = ['1', '2', '3'].map((digit) => `0000000${digit}-0000-4000-8000-000000000000`);

beforeEach(async () => {
  store = await testStore(4);
  programsLoads = new ProgramsLoadRepository(store.database, store.keys.members);
  processes = new ProcessRepository(store.database);
});

afterEach(() => store.close());

const report = (index: number, more: Partial<ProcessReport> = {}): ProcessReport => ({
  processId: ids[index] ?? '',
  host: `pod-${index}`,
  roles: ['ingest'],
  startedAt: now + index,
  programs: { hash: 'aa01', since: now },
  programsProblem: null,
  keyIds: ['0a1b2c3d'],
  figures: null,
  ...more,
});

const taken = (hash: string): TakenPrograms => ({ hash, content: '{"programs":{}}', host: 'pod-0' });

describe('processes', () => {
  it('hear of each other, and of what each works by now', async () => {
    expect(await processes.report(report(0), now)).toEqual({ others: [], reload: null });
    expect(await processes.report(report(1, { programs: { hash: 'bb02', since: now + 5 } }), now)).toEqual({
      others: [{ hash: 'aa01', since: now }],
      reload: null,
    });
    await processes.report(report(0, { programsProblem: 'programs: required' }), now + 1_000);
    expect(await processes.list(now + 1_000)).toEqual([
      { ...report(0), heartbeatAt: now + 1_000, isAlive: true, programsProblem: 'programs: required' },
      { ...report(1), heartbeatAt: now, isAlive: true, programs: { hash: 'bb02', since: now + 5 } },
    ]);
  });

  it('that say nothing are gone for the others at once, and can be seen for ten minutes', async () => {
    await processes.report(report(0), now);
    const late = now + processTtlMs + 1;
    expect(await processes.report(report(1), late)).toMatchObject({ others: [] });
    expect((await processes.list(late)).map(({ isAlive }) => isAlive)).toEqual([false, true]);
    await processes.report(report(1), now + processKeptMs + 1);
    expect(await processes.list(late)).toHaveLength(1);
  });

  it('say goodbye', async () => {
    await processes.report(report(0), now);
    await processes.leave(ids[0] ?? '');
    expect(await processes.list(now)).toEqual([]);
  });

  it('hear of the last request to read the programs file again, which leaves a trace', async () => {
    const audit = { actor: 'ann', address: null, reason: 'a new tier' };
    await programsLoads.requestReload(
      { loaded: { hash: 'aa01', changed: true }, taken: taken('aa01'), accept: [] },
      { ...audit, at: now },
    );
    await programsLoads.requestReload(
      { loaded: { hash: 'bb02', changed: false }, taken: taken('bb02'), accept: [] },
      { ...audit, at: now + 1 },
    );
    expect(await processes.report(report(0), now)).toMatchObject({
      reload: { at: now + 1, hash: 'bb02' },
    });
    const { items: actions } = await new AuditRepository(store.database).list({
      actor: null,
      action: null,
      programs: null,
      before: null,
      limit: 5,
    });
    expect(actions).toMatchObject([
      { action: 'programs.reload', actor: 'ann', reason: 'a new tier', detail: { hash: 'bb02', changed: false } },
      { action: 'programs.reload', detail: { hash: 'aa01', changed: true } },
    ]);
  });
});

describe('disagreeingSince', () => {
  it.each<[string, [string, number][], number | null]>([
    ['nobody', [], null],
    [
      'all alike',
      [
        ['a', 1],
        ['a', 9],
      ],
      null,
    ],
    [
      'one that changed later',
      [
        ['a', 1],
        ['b', 7],
      ],
      7,
    ],
    [
      'a third one that changed again',
      [
        ['c', 20],
        ['a', 1],
        ['b', 7],
      ],
      7,
    ],
    [
      'all but the first alike',
      [
        ['a', 1],
        ['b', 7],
        ['b', 8],
      ],
      7,
    ],
  ])('%s', (_who, inForce, since) => {
    expect(disagreeingSince(inForce.map(([hash, at]) => ({ hash, since: at })))).toBe(since);
  });
});
