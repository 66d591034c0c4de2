import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startEmbeddedPostgres, waitUntil, type EmbeddedPostgres } from '#embedded';

const database = 'loyaltyd';
const goneMsMax = 20_000;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // gone already
  }
}

export interface ChaosPostgresOptions {
  /** Further ones, each `name=value`. */
  readonly settings?: readonly string[];
  /** Its data is a copy of another server's, and recovers or follows it. */
  readonly isCopy?: boolean;
}

/** A folder for the data of a server. */
export const newDataFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'loyaltyd-chaos-postgres-'));

/** A Postgres server with fsync on, whose data outlives it: it can be killed and started again, each time elsewhere. */
export class ChaosPostgres {
  private server: EmbeddedPostgres | null = null;

  private constructor(
    /** Holds the cluster (`data`) and its password. */
    readonly folder: string,
    private readonly options: ChaosPostgresOptions,
  ) {}

  static async create(options: ChaosPostgresOptions = {}): Promise<ChaosPostgres> {
    return ChaosPostgres.on(await newDataFolder(), options);
  }

  /** @param folder holds the data of a server already, or nothing */
  static async on(folder: string, options: ChaosPostgresOptions): Promise<ChaosPostgres> {
    const postgres = new ChaosPostgres(folder, options);
    await postgres.start();
    return postgres;
  }

  /** Of the server itself, past every proxy. @throws while it is down */
  get url(): string {
    if (this.server === null) throw new Error('Postgres is down');
    return this.server.url;
  }

  /** As superuser. @throws while it is down */
  get adminUrl(): string {
    if (this.server === null) throw new Error('Postgres is down');
    return this.server.adminUrl;
  }

  /** Null while it is down. */
  get port(): number | null {
    return this.server === null ? null : Number(new URL(this.server.url).port);
  }

  get version(): string {
    return this.server?.version ?? 'down';
  }

  async start(): Promise<void> {
    this.server = await startEmbeddedPostgres({ database, dataDirectory: this.folder, ...this.options });
  }

  /**
   * SIGKILL to the server and all its helpers: what was not written is gone. Waits until the last one is, since a new
   * server beside an old backend would ruin the data.
   */
  async kill(): Promise<void> {
    const running = this.server;
    this.server = null;
    const pid = await this.postmaster();
    if (running === null || pid === null) return;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
    const pids = [pid, ...children.split(' ').filter(Boolean).map(Number)];
    pids.forEach(killHard);
    await waitUntil(() => !pids.some(isAlive), { what: 'Postgres to be gone', timeoutMs: goneMsMax });
    await running.stop();
  }

  /** A fast shutdown: clients are disconnected, data is written. */
  async stop(): Promise<void> {
    const running = this.server;
    this.server = null;
    await running?.stop();
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async postmaster(): Promise<number | null> {
    const text = await readFile(join(this.folder, 'data', 'postmaster.pid'), 'utf8').catch(() => '');
    const pid = Number(text.split('\n')[0]);
    return pid > 0 ? pid : null;
  }
}
