import { judgeSlots, judgeTransactions } from './check-horizon.js';
import { judgeObjects } from './check-objects.js';
import { judgeRoom } from './check-room.js';
import { judgeServer } from './check-server.js';
import { judgeSettings, settingNames } from './check-settings.js';
import { judgeSize } from './check-size.js';

const wellSettings: Readonly<Record<string, string>> = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  zero_damaged_pages: 'off',
  default_transaction_isolation: 'read committed',
  session_replication_role: 'origin',
  autovacuum: 'on',
  track_counts: 'on',
  track_activities: 'on',
  shared_buffers: '16384',
  synchronous_standby_names: '',
};

describe('settings of Postgres', () => {
  const judge = (changes: Record<string, string> = {}) =>
    judgeSettings(new Map(Object.entries({ ...wellSettings, ...changes })));

  it('are well, and told', () => {
    expect(judge()).toMatchObject([{ name: 'postgres.settings', state: 'ok' }]);
    expect(judge()[0]?.detail).toContain("synchronous_standby_names=''");
    expect(settingNames).toEqual(expect.arrayContaining(Object.keys(wellSettings)));
  });

  it.each([
    ['fsync', 'off', 'failed'],
    ['full_page_writes', 'off', 'failed'],
    ['synchronous_commit', 'off', 'failed'],
    ['zero_damaged_pages', 'on', 'failed'],
    ['default_transaction_isolation', 'serializable', 'failed'],
    ['session_replication_role', 'replica', 'failed'],
    ['autovacuum', 'off', 'failed'],
    ['track_counts', 'off', 'failed'],
    ['track_activities', 'off', 'warning'],
    ['shared_buffers', '2048', 'warning'],
  ])('%s=%s is %s, alone', (setting, value, state) => {
    expect(judge({ [setting]: value })).toMatchObject([{ name: `postgres.settings.${setting}`, state }]);
  });

  it('that wait for no standby warn only where there is one', () => {
    expect(judge({ synchronous_commit: 'local' })).toMatchObject([{ state: 'ok' }]);
    expect(judge({ synchronous_commit: 'local', synchronous_standby_names: 'b' })).toMatchObject([
      { state: 'warning' },
    ]);
  });
});

describe('the server', () => {
  const server = { versionNumber: 180_004, version: '18.4', isStandby: false, isReadOnly: false };

  it.each([
    [140_011, 'failed'],
    [150_000, 'ok'],
    [180_004, 'ok'],
    [190_000, 'warning'],
  ])('of version %i is %s', (versionNumber, state) => {
    expect(judgeServer({ ...server, versionNumber })[0]?.state).toBe(state);
  });

  it('takes writes, or says why not', () => {
    const primary = (more: object): string | undefined => judgeServer({ ...server, ...more })[1]?.detail;
    expect(primary({})).toBe('it takes writes');
    expect(primary({ isStandby: true })).toContain('standby');
    expect(primary({ isReadOnly: true })).toContain('default_transaction_read_only');
  });
});

describe('connections', () => {
  const room = { allowed: 100, reserved: 3, used: 20, roleLimit: null, databaseLimit: null };

  it.each([
    [{}, 4, 'ok'],
    [{}, 10, 'warning'],
    [{ roleLimit: 30 }, 4, 'warning'],
    [{ databaseLimit: 30 }, 4, 'warning'],
    [{ used: 96 }, 1, 'failed'],
  ])('with %j and %i processes: %s', (more, processes, state) => {
    expect(judgeRoom({ ...room, ...more }, { poolSize: 10, processes }).state).toBe(state);
  });
});

describe('what holds rows and WAL', () => {
  it('is a transaction that stays open; the remedy names it', () => {
    expect(judgeTransactions([])).toMatchObject([{ state: 'ok' }]);
    const dump = { name: 'pid 4711', application: 'pg_dump', state: 'active', openForMs: 600_000 };
    expect(judgeTransactions([dump])).toMatchObject([
      { state: 'warning', remedy: expect.stringContaining('pg_terminate_backend(4711)') as string },
    ]);
    const prepared = { name: 'prepared transaction x', application: '', state: 'prepared', openForMs: 4_000_000 };
    expect(judgeTransactions([prepared])).toMatchObject([
      { state: 'failed', remedy: expect.stringContaining('ROLLBACK PREPARED') as string },
    ]);
  });

  it('is a slot that nobody reads', () => {
    const slot = { name: 's', isActive: true, walStatus: 'reserved', holdsRows: false, heldBytes: 1_000 };
    const state = (more: object): string | undefined => judgeSlots([{ ...slot, ...more }])[0]?.state;
    expect(state({})).toBe('ok');
    expect(state({ heldBytes: 2 * 1024 ** 3 })).toBe('warning');
    expect(state({ heldBytes: 60 * 1024 ** 3 })).toBe('failed');
    expect(state({ walStatus: 'lost', heldBytes: null })).toBe('warning');
    expect(state({ holdsRows: true, isActive: false })).toBe('warning');
    expect(judgeSlots([])[0]?.detail).toBe('there are none');
  });
});

describe('the disk', () => {
  const size = { databaseBytes: 1_000, dataFolder: null, oldestTransactionAge: 1 };
  const judge = (freeBytes: number) => judgeSize(size, { freeBytes, allBytes: 100 })[0]?.state;

  it('has room', () => {
    expect([judge(50), judge(10), judge(3)]).toEqual(['ok', 'warning', 'failed']);
    expect(judgeSize(size, null)[0]?.state).toBe('skipped');
  });

  it.each([
    [100_000_000, 'ok'],
    [600_000_000, 'warning'],
    [1_600_000_000, 'failed'],
  ])('and transaction ids that are %i old are %s', (oldestTransactionAge, state) => {
    expect(judgeSize({ ...size, oldestTransactionAge }, null)[1]?.state).toBe(state);
  });
});

describe('objects', () => {
  it('that are broken, and partitions that are full', () => {
    expect(judgeObjects([], 0)).toMatchObject([{ state: 'ok' }]);
    const index = { kind: 'index', name: 'i', table: 't' } as const;
    expect(judgeObjects([index], 3)).toMatchObject([
      { name: 'postgres.objects.i', state: 'failed' },
      { name: 'postgres.objects.intent_event_default', state: 'warning' },
    ]);
  });
});
