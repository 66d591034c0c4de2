import { appendFile } from 'node:fs/promises';

import type { EmbeddedPostgres } from '#embedded';
import { startEmbeddedPostgres } from '#embedded';
import type { RunningProcess } from '#test-support';
import { programCommand, startProcess } from '#test-support';

/** A rule of `PUT /__faults` (contracts.md section 9). */
export interface FaultRule {
  readonly operation: string;
  readonly kind: string;
  readonly probability?: number;
  readonly count?: number;
  readonly ms?: number;
  readonly status?: number;
  readonly retryAfter?: number | string;
  readonly bytes?: number;
}

type DescribedRule = FaultRule & { readonly seen: number; readonly struck: number };

/** Short: tokens run out again and again. */
const tokenTtlS = 15;
const tailChars = 4_000;

/** The partner: the sandbox as a process of its own, on a Postgres of its own that nobody breaks. */
export class Wallet {
  private readonly groups = new Map<symbol, readonly FaultRule[]>();
  private readonly struck = new Map<string, number>();
  private turn: Promise<unknown> = Promise.resolve();
  private isStopping = false;
  /** The client's, as it is now. */
  clientSecret = 'sandbox';

  private constructor(
    private readonly running: RunningProcess,
    private readonly database: EmbeddedPostgres,
    private readonly seed: number,
  ) {}

  static async start(seed: number): Promise<Wallet> {
    const database = await startEmbeddedPostgres({ database: 'wallet', durable: false });
    const running = await startProcess({
      ...programCommand('apps/wallet-sandbox/src/main.ts'),
      env: { DATABASE_URL: database.url, SANDBOX_PORT: '0', SANDBOX_TOKEN_TTL_S: String(tokenTtlS) },
    });
    const wallet = new Wallet(running, database, seed);
    void running.exited.then(() => {
      wallet.complain();
    });
    return wallet;
  }

  /** Past the proxy. */
  get url(): string {
    return String(this.running.ready['authUrl']);
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  get pid(): number {
    return this.running.pid;
  }

  /** What it has written to standard error. */
  get complaints(): string {
    return this.running.stderr();
  }

  get databaseUrl(): string {
    return this.database.url;
  }

  /** Lets the rules strike until the returned function is called; others in force stay. */
  async misbehave(rules: readonly FaultRule[]): Promise<() => Promise<void>> {
    const group = Symbol('rules');
    this.groups.set(group, rules);
    await this.putRules();
    return async () => {
      this.groups.delete(group);
      await this.putRules();
    };
  }

  async behave(): Promise<void> {
    this.groups.clear();
    await this.putRules();
  }

  /** The partner's people give the client another secret: what it got by the one before is refused from now on. */
  async rotateSecret(clientSecret: string): Promise<void> {
    const response = await fetch(`${this.url}/__client`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientSecret }),
    });
    if (!response.ok) throw new Error(`the secret was refused: ${await response.text()}`);
    this.clientSecret = clientSecret;
  }

  /** How many calls each kind struck so far, by `kind operation`. */
  async strikes(): Promise<ReadonlyMap<string, number>> {
    await this.inTurn(() => this.count());
    return this.struck;
  }

  async stop(logFile: string): Promise<void> {
    this.isStopping = true;
    await this.running.stop();
    await appendFile(logFile, this.running.stderr());
    await this.database.stop();
  }

  /** A partner that dies is no fault of the programme: the run is worth nothing, and the sandbox has a bug. */
  private complain(): void {
    if (!this.isStopping) process.stderr.write(`THE SANDBOX DIED:\n${this.running.stderr().slice(-tailChars)}\n`);
  }

  /** A new plan begins its counts anew: the old ones are added up first. */
  private putRules(): Promise<void> {
    return this.inTurn(async () => {
      await this.count();
      const rules = [...this.groups.values()].flat();
      const response = await fetch(`${this.url}/__faults`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ seed: this.seed, rules }),
      });
      if (!response.ok) throw new Error(`faults were refused: ${await response.text()}`);
      this.counted.clear();
    });
  }

  private readonly counted = new Map<number, number>();

  private async count(): Promise<void> {
    const response = await fetch(`${this.url}/__faults`);
    const { rules } = (await response.json()) as { rules: readonly DescribedRule[] };
    rules.forEach(({ kind, operation, struck }, index) => {
      const name = `${kind} ${operation}`;
      const before = this.counted.get(index) ?? 0;
      this.struck.set(name, (this.struck.get(name) ?? 0) + struck - before);
      this.counted.set(index, struck);
    });
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => undefined);
    return done;
  }
}
