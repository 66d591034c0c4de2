import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { programCommand, queryOnce, startProcess } from '#test-support';

import type { Harness } from './harness.js';
import { encryptionKey, MountedSecrets, openHarness } from './harness.js';
import { readLedger } from './partner.js';
import { awaitRest, readIntentStatuses } from './store.js';
import type { Emission } from './traffic.js';
import { enrolled, granted, produce, purchased } from './traffic.js';

const role = `rotation_${randomBytes(4).toString('hex')}`;
const newKey = Buffer.from([...Array(32).keys()].toReversed()).toString('base64');
const patience = { timeoutMs: 60_000 };

const operator = (name: string): string =>
  `${name}:viewer:${createHash('sha256').update(`token-of-${name}`).digest('hex')}`;

/** Every secret changes while a daemon works, which nobody restarts. */
describe('rotating every secret of a running daemon', () => {
  let harness: Harness;
  let secrets: MountedSecrets;
  let daemon: RunningProcess;
  let sandbox: RunningProcess | null = null;
  const emitted: Emission[] = [];

  const databaseUrl = (password: string): string => {
    const url = new URL(harness.database.url);
    Object.assign(url, { username: role, password });
    return url.href;
  };

  beforeAll(async () => {
    harness = await openHarness();
    const owner = new URL(harness.database.url).username;
    await queryOnce(harness.database.adminUrl, `CREATE ROLE ${role} LOGIN PASSWORD 'first' IN ROLE ${owner}`);
    secrets = await MountedSecrets.mount({
      secret: 'sandbox\n',
      tokens: operator('ann'),
      database: databaseUrl('first'),
      keys: encryptionKey,
    });
    const none = { WALLET_CLIENT_SECRET: '', OPS_TOKENS: '', DATABASE_URL: '', LOYALTYD_ENCRYPTION_KEY: '' };
    daemon = await harness.startDaemon({
      ...none,
      WALLET_CLIENT_SECRET_FILE: secrets.path('secret'),
      OPS_TOKENS_FILE: secrets.path('tokens'),
      DATABASE_URL_FILE: secrets.path('database'),
      LOYALTYD_ENCRYPTION_KEY_FILE: secrets.path('keys'),
    });
  });

  afterAll(async () => {
    await daemon.stop();
    await sandbox?.stop();
    // Partitions that the daemon has made are its user's.
    await queryOnce(harness.database.adminUrl, `REASSIGN OWNED BY ${role} TO CURRENT_USER; DROP ROLE ${role}`);
    await secrets.unmount();
    await harness.close();
  });

  const emit = async (name: string): Promise<void> => {
    const members = Array.from({ length: 20 }, (_, index) => `${name}-${index}`);
    const emissions = members.flatMap((id) => [enrolled(id), purchased(id, `p-${id}`), granted(id, `g-${id}`)]);
    emitted.push(...emissions);
    await produce(harness.broker, harness.topics, emissions);
  };
  const settled = async (): Promise<void> => {
    await awaitRest(harness.database.url, emitted.length);
    const standings = await readIntentStatuses(harness.database.url);
    expect(standings.filter(({ lastEvent }) => lastEvent !== 'AttemptApplied')).toEqual([]);
    expect(await readLedger(harness.sandboxUrl)).toHaveLength(emitted.length);
  };
  const address = (): string => String(daemon.ready['operations']);
  const statusFor = async (name: string): Promise<number> => {
    const headers = { authorization: `Bearer token-of-${name}` };
    return (await fetch(`${address()}/api/v1/stats`, { headers })).status;
  };
  const logs = (text: string): boolean => daemon.stderr().includes(text);
  /** Changes files, and waits until all that changed was taken over. */
  const followed = async (change: Readonly<Record<string, string>>): Promise<void> => {
    const readings = (): number => daemon.stderr().split('"files of secrets and certificates read again"').length;
    const before = readings();
    await secrets.change(change);
    await waitUntil(() => readings() > before, { what: 'the files to be read', timeoutMs: 30_000 });
  };
  const brokenFiles = async (): Promise<string[]> => {
    const text = await (await fetch(`${address()}/metrics`)).text();
    return [...text.matchAll(/^loyaltyd_file_broken\{file="(\w+)"\} 1$/gm)].map(([, name]) => name ?? '');
  };

  it('loses, parks and repeats nothing while they change elsewhere first, and follows its files', async () => {
    await emit('before');
    await settled();
    expect([await statusFor('ann'), await statusFor('bob')]).toEqual([200, 401]);

    // The partner changes the secret and revokes all tokens; the database changes the password and ends our sessions.
    await harness.sandbox.stop();
    await queryOnce(harness.sandboxDatabaseUrl, 'DELETE FROM wallet_sandbox.signing_key');
    sandbox = await startProcess({
      ...programCommand('apps/wallet-sandbox/src/main.ts'),
      env: {
        DATABASE_URL: harness.sandboxDatabaseUrl,
        SANDBOX_PORT: new URL(harness.sandboxUrl).port,
        SANDBOX_CLIENT_SECRET: 'second',
      },
    });
    await emit('between');
    await waitUntil(() => logs('no partner token to be had'), { what: 'the old secret to be refused', ...patience });
    await queryOnce(harness.database.adminUrl, `ALTER ROLE ${role} PASSWORD 'second'`);
    await queryOnce(
      harness.database.adminUrl,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`,
    );
    await waitUntil(() => logs('28P01'), { what: 'the old password to be refused', ...patience });

    await followed({ secret: 'second\n', tokens: operator('bob'), database: databaseUrl('second') });
    await emit('after');
    await settled();
    expect([await statusFor('ann'), await statusFor('bob')]).toEqual([401, 200]);
    expect(await brokenFiles()).toEqual([]);
  });

  it('keeps the last good value of a file that is wrong, and says which', async () => {
    await secrets.change({ tokens: 'bob:viewer:half', database: databaseUrl('second').replace(/:\d+\//, ':1/') });
    const areTold = async (): Promise<boolean> => (await brokenFiles()).length === 2;
    await waitUntil(areTold, { what: 'the metric to tell of both', timeoutMs: 30_000 });
    expect(await brokenFiles()).toEqual(['DATABASE_URL_FILE', 'OPS_TOKENS_FILE']);
    expect(await statusFor('bob')).toBe(200);
    expect(logs('DATABASE_URL_FILE: it names another server or database')).toBe(true);
    await secrets.change({ tokens: operator('bob'), database: databaseUrl('second') });
    const areMended = async (): Promise<boolean> => (await brokenFiles()).length === 0;
    await waitUntil(areMended, { what: 'both to be mended', timeoutMs: 30_000 });
  });

  it('takes new encryption keys, and goes without the old one once everything is under the new', async () => {
    // Without the old key nothing would open: refused.
    await secrets.change({ keys: newKey });
    const isRefused = async (): Promise<boolean> => (await brokenFiles()).length === 1;
    await waitUntil(isRefused, { what: 'the list to be refused', timeoutMs: 30_000 });
    await followed({ keys: `${newKey},${encryptionKey}` });
    await emit('two-keys');
    await settled();
    const reported = `SELECT FROM daemon_process WHERE cardinality(key_ids) = 2`;
    const isReported = async (): Promise<boolean> => (await queryOnce(harness.database.url, reported)).length === 1;
    await waitUntil(isReported, { what: 'the process to report both keys', ...patience });
    const { command, args, cwd } = programCommand('apps/cli/src/main.ts', 'rotate-keys', '--reason', 'drill');
    const rotated: unknown = await promisify(execFile)(command, [...args], {
      cwd,
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: databaseUrl('second'),
        LOYALTYD_ENCRYPTION_KEY_FILE: secrets.path('keys'),
      },
    }).catch((error: unknown) => error);
    // For five minutes it wraps by the old one still. It makes nothing before it is told to go without.
    const stderr = expect.stringContaining('wrap new keys by another key still') as string;
    expect(rotated).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('by the first encryption key') as string,
      stderr,
    });
    expect(JSON.stringify(rotated)).not.toContain('keys came meanwhile');
    await followed({ keys: newKey });
    // Members of before, too.
    await produce(harness.broker, harness.topics, [purchased('before-0', 'p-last')]);
    emitted.push(purchased('before-0', 'p-last'));
    await emit('new-key');
    await settled();
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  });
});
