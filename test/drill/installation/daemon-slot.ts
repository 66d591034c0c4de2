import { appendFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import type { ProcessEnd, RunningProcess } from '#test-support';
import { programCommand, startProcess } from '#test-support';

interface DaemonSlotOptions {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** Gets the output of every life. */
  readonly logFile: string;
  /** Of `loyaltyd start`. */
  readonly flags?: readonly string[];
}

/** How one life ended, and whether somebody here wanted that. */
export interface LifeRecord {
  readonly name: string;
  readonly end: ProcessEnd;
  readonly isWanted: boolean;
  /** The last lines it wrote. */
  readonly tail: string;
}

const retryMs = 500;
const readyMsMax = 60_000;
const tailChars = 2_000;

/** The place of one daemon: whoever dies there is followed by another, as an orchestrator would do it. */
export class DaemonSlot {
  /** Null while it is down or starting. */
  private running: RunningProcess | null = null;
  private isWanted = false;
  private isStopped = false;
  private supervision: Promise<void> = Promise.resolve();
  readonly lives: LifeRecord[] = [];
  /** Starts that did not get as far as being ready. */
  startFailures: string[] = [];

  constructor(private readonly options: DaemonSlotOptions) {}

  get name(): string {
    return this.options.name;
  }

  /** Null while it is down. */
  get pid(): number | null {
    return this.running?.pid ?? null;
  }

  /** Base of its operations port; null while it is down. */
  get address(): string | null {
    const operations = this.running?.ready['operations'];
    return typeof operations === 'string' ? operations : null;
  }

  /** How often its log of this life has the text. */
  timesLogged(text: string): number {
    const log = this.running?.stderr() ?? '';
    let times = 0;
    for (let at = log.indexOf(text); at >= 0; at = log.indexOf(text, at + text.length)) times += 1;
    return times;
  }

  get isReady(): boolean {
    return this.running !== null && !this.isStopped;
  }

  /** It runs from now on, and again whenever it ends. */
  up(): void {
    if (this.isWanted) return;
    this.isWanted = true;
    this.supervision = this.supervise();
  }

  /** SIGKILL; it comes back by itself. Resolves when it is gone. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** SIGTERM; it comes back by itself. Resolves when it is gone. */
  async restart(): Promise<void> {
    await this.end('SIGTERM');
  }

  /** SIGHUP: it reads its programs file again. */
  hangUp(): void {
    this.running?.kill('SIGHUP');
  }

  /** SIGSTOP: it does nothing, and does not know it. */
  freeze(): void {
    this.isStopped = true;
    this.running?.kill('SIGSTOP');
  }

  thaw(): void {
    this.running?.kill('SIGCONT');
    this.isStopped = false;
  }

  /** SIGTERM, for good. @returns how it ended; null when it was not running */
  async down(): Promise<ProcessEnd | null> {
    this.isWanted = false;
    this.thaw();
    const end = (await this.running?.stop()) ?? null;
    await this.supervision;
    return end;
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { running } = this;
    if (running === null) return;
    this.expected.add(running.pid);
    this.running = null;
    running.kill(signal);
    // A stopped process does not hear SIGTERM before it goes on.
    running.kill('SIGCONT');
    this.isStopped = false;
    await running.exited;
  }

  private readonly expected = new Set<number>();

  private async supervise(): Promise<void> {
    while (this.isWanted) {
      const life = await this.start();
      if (life === null) await delay(retryMs);
      else await this.live(life);
    }
  }

  private async start(): Promise<RunningProcess | null> {
    const { env, flags = [] } = this.options;
    const command = programCommand('apps/cli/src/main.ts', 'start', ...flags);
    try {
      return await startProcess({ ...command, env, readyTimeoutMs: readyMsMax });
    } catch (error) {
      this.startFailures.push((error as Error).message.slice(-tailChars));
      return null;
    }
  }

  private async live(life: RunningProcess): Promise<void> {
    this.running = life;
    // It was told to go while it started.
    if (!this.isWanted) void life.stop();
    const end = await life.exited;
    if (this.running === life) this.running = null;
    const output = `${life.stdout()}${life.stderr()}`;
    const isWanted = this.expected.has(life.pid) || !this.isWanted;
    this.lives.push({ name: this.name, end, isWanted, tail: output.slice(-tailChars) });
    await appendFile(this.options.logFile, `--- process ${life.pid}, ended by ${end.signal ?? end.code}\n${output}\n`);
  }
}
