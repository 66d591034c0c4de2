import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabase, type TestDatabase } from '#test-support';
import { readEnvironment } from '../src/sandbox-environment.js';
import { type RunningSandbox, startSandbox } from '../src/start-sandbox.js';
import { SandboxClient } from './sandbox-client.js';

const startMsMax = 60_000;

interface SandboxOptions {
  /** YAML; absent: the default seed. */
  readonly seed?: string;
  /** False where the tests of a file build on each other: then nothing happens before each of them. */
  readonly isResetBeforeEach?: boolean;
}

/** A sandbox in this process, on a database of its own. */
class SandboxFixture {
  /** The same one through every restart. */
  readonly client = new SandboxClient(() => this.authUrl);
  private database: TestDatabase | null = null;
  private running: RunningSandbox | null = null;
  private folder: string | null = null;

  constructor(private readonly options: SandboxOptions) {}

  get authUrl(): string {
    return given(this.running).authUrl;
  }

  get baseUrl(): string {
    return given(this.running).baseUrl;
  }

  get databaseUrl(): string {
    return given(this.database).url;
  }

  async start(): Promise<void> {
    this.database = await testDatabase({ migrate: false });
    this.running = await this.startAnother();
  }

  /** One more sandbox on the same database; who starts it stops it. */
  async startAnother(variables: Readonly<Record<string, string>> = {}): Promise<RunningSandbox> {
    const seed = this.options.seed === undefined ? {} : { SANDBOX_SEED: await this.seedFile(this.options.seed) };
    return startSandbox(readEnvironment({ SANDBOX_PORT: '0', ...seed, ...variables }), this.databaseUrl);
  }

  async restart(): Promise<void> {
    await given(this.running).stop();
    this.running = await this.startAnother();
    await this.client.authenticate();
  }

  /** As its seed left it, with a token that is good. */
  async reset(): Promise<void> {
    await this.client.send('POST /__reset');
    await this.client.authenticate();
  }

  async stop(): Promise<void> {
    await this.running?.stop();
    await this.database?.dispose();
    if (this.folder !== null) await rm(this.folder, { recursive: true });
  }

  private async seedFile(seed: string): Promise<string> {
    this.folder ??= await mkdtemp(join(tmpdir(), 'wallet-sandbox-'));
    const file = join(this.folder, 'seed.yaml');
    await writeFile(file, seed);
    return file;
  }
}

/** One sandbox for the tests of a file; before each of them it is reset, and its client has a token. */
export function useSandbox(options: SandboxOptions = {}): SandboxFixture {
  const fixture = new SandboxFixture(options);
  beforeAll(() => fixture.start(), startMsMax);
  if (options.isResetBeforeEach !== false) beforeEach(() => fixture.reset());
  afterAll(() => fixture.stop());
  return fixture;
}

function given<Part>(part: Part | null): Part {
  if (part === null) throw new Error('the sandbox has not been started');
  return part;
}
