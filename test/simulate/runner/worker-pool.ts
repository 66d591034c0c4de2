import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { RunFigures, Verdict } from '../../checker/index.js';
import type { Verdict as RetailersVerdict } from '../../judge/case.js';
import type { Fault } from '../world/fault.js';

/** What a worker is asked to run. */
export interface SeedQuestion {
  readonly seed: number;
  readonly without: readonly Fault[];
  readonly plant: string | null;
  readonly asksRetailer: boolean;
}

/** What became of one seed. */
export interface SeedAnswer {
  readonly seed: number;
  readonly problems: readonly string[];
  readonly traceHash: string;
  readonly steps: number;
  readonly virtualMs: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly figures: RunFigures | null;
  readonly exposures: Verdict['exposures'];
  /** Null where the retailer's judge was not asked, or could not tell the records apart. */
  readonly retailer: Pick<RetailersVerdict, 'judged' | 'buckets'> | null;
}

/** A world that takes longer hangs: the longest take seconds. */
const seedMsMax = 300_000;
/** Postgres in the process starts within seconds, on a busy machine within a minute. */
const startMsMax = 180_000;
/** Workers are replaced now and then: what leaks in one process must not end a night's run. */
const seedsPerWorkerMax = 3_000;

/** One worker process; asks are answered one by one. */
class Worker {
  private asked = 0;

  private constructor(private readonly child: ChildProcess) {}

  static async start(): Promise<Worker> {
    const program = fileURLToPath(new URL(`./worker${extname(import.meta.filename)}`, import.meta.url));
    const worker = new Worker(fork(program, { stdio: ['ignore', process.stderr, 'inherit', 'ipc'] }));
    await worker.next(startMsMax, 'start');
    return worker;
  }

  get isWornOut(): boolean {
    return this.asked >= seedsPerWorkerMax;
  }

  async ask(question: SeedQuestion): Promise<SeedAnswer> {
    this.asked += 1;
    const answer = this.next(seedMsMax, `run seed ${question.seed}`);
    this.child.send(question);
    return (await answer) as SeedAnswer;
  }

  stop(): void {
    if (this.child.connected) this.child.disconnect();
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  private next(timeoutMs: number, what: string): Promise<unknown> {
    const { child } = this;
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        clearTimeout(timer);
        child.off('message', onMessage).off('exit', onExit);
        finish();
      };
      const onMessage = (message: unknown): void => settle(() => resolve(message));
      const onExit = (code: number | null): void => settle(() => reject(new Error(`ended with ${code} (${what})`)));
      const onTimeout = (): void => settle(() => reject(new Error(`could not ${what} within ${timeoutMs} ms`)));
      const timer = setTimeout(onTimeout, timeoutMs);
      child.on('message', onMessage).on('exit', onExit);
    });
  }
}

/** One process for several questions, asked one after the other. */
export async function withWorker<T>(
  use: (ask: (question: SeedQuestion) => Promise<SeedAnswer>) => Promise<T>,
): Promise<T> {
  const worker = await Worker.start();
  try {
    return await use((question) => worker.ask(question).catch((error: unknown) => deathOf(question, error)));
  } finally {
    worker.kill();
  }
}

/** Where the next question comes from; null: there is none. */
type NextQuestion = () => SeedQuestion | null;

/**
 * Puts questions to as many processes at once, until there are none left.
 * @param onAnswer in the order in which they come, not in that of the seeds
 */
export async function askAll(
  workers: number,
  nextQuestion: NextQuestion,
  onAnswer: (answer: SeedAnswer) => void,
): Promise<void> {
  await Promise.all(Array.from({ length: workers }, () => work(nextQuestion, onAnswer)));
}

async function work(nextQuestion: NextQuestion, onAnswer: (answer: SeedAnswer) => void): Promise<void> {
  let worker = await Worker.start();
  try {
    for (let question = nextQuestion(); question !== null; question = nextQuestion()) {
      if (worker.isWornOut) {
        worker.stop();
        worker = await Worker.start();
      }
      const asked = question;
      const answer = await worker.ask(asked).catch((error: unknown) => deathOf(asked, error));
      onAnswer(answer);
      if (answer.traceHash !== '') continue;
      worker.kill();
      worker = await Worker.start();
    }
  } finally {
    worker.stop();
  }
}

/** A world that took its process with it, or never ended. */
function deathOf({ seed }: SeedQuestion, error: unknown): SeedAnswer {
  const problem = `the simulation itself failed: ${error instanceof Error ? error.message : String(error)}`;
  const nothing = { traceHash: '', steps: 0, virtualMs: 0, faults: {}, figures: null, exposures: {}, retailer: null };
  return { seed, problems: [problem], ...nothing };
}
