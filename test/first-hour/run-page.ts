import { spawn } from 'node:child_process';

import { freeLoopbackPorts, waitUntil } from '#embedded';

import type { PageStep } from './page-steps.js';
import { pageSteps } from './page-steps.js';

interface PageRun {
  /** Where the commands are typed. */
  readonly folder: string;
  /** In place of `npx --no-install loyaltyd`; null: as the page has it. */
  readonly loyaltyd: string | null;
  /** Whether `npm ci` is typed as well. */
  readonly installs: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
}

export interface StepReport {
  readonly command: string;
  readonly seconds: number;
  readonly code: number;
  readonly output: string;
}

/** Longer than any step takes on a busy machine: something hangs. */
const stepTimeoutMs = 600_000;
const shownLength = 100;
/** Ports of the page, which may be taken here. */
const portsOfPage = ['8080', '4010', '9092'];

/** Types the whole page, in its order. Docker is left out, where the test of `init` holds the file that it is given. */
export async function runPage(run: PageRun): Promise<StepReport[]> {
  const ports = await freeLoopbackPorts(portsOfPage.length);
  const steps = pageSteps().filter(({ kind }) => kind !== 'docker' && (run.installs || kind !== 'install'));
  const typed = (text: string): string =>
    portsOfPage.reduce(
      (command, port, index) => command.replaceAll(new RegExp(`\\b${port}\\b`, 'g'), String(ports[index])),
      run.loyaltyd === null ? text : text.replaceAll('npx --no-install loyaltyd', run.loyaltyd),
    );
  const terminal = new Terminal(run);
  const reports: StepReport[] = [];
  try {
    for (const step of steps) {
      const startedAt = performance.now();
      const { code, output } = await terminal.type({ ...step, command: typed(step.command) });
      const seconds = (performance.now() - startedAt) / 1_000;
      reports.push({ command: step.command, seconds, code, output });
      if (code !== 0 && step.kind !== 'look' && !step.command.includes('doctor')) {
        throw new Error(`${step.command}\n${output}`);
      }
      run.say(`${seconds.toFixed(1).padStart(6)} s  ${step.command.slice(0, shownLength).replaceAll('\n', '; ')}`);
    }
  } finally {
    await terminal.close();
  }
  return reports;
}

interface Typed {
  readonly code: number;
  readonly output: string;
}

class Terminal {
  private readonly open: { end(): Promise<number> }[] = [];

  constructor(private readonly run: Pick<PageRun, 'folder' | 'env'>) {}

  async type({ command, kind }: PageStep): Promise<Typed> {
    if (kind === 'stays') return this.leave(command);
    return kind === 'look' ? this.look(command) : this.start(command).ended;
  }

  /** Ctrl-C in whatever stays. */
  async close(): Promise<void> {
    for (const each of this.open.splice(0)) await each.end();
  }

  private async leave(command: string): Promise<Typed> {
    const started = this.start(command);
    this.open.push({
      end: async () => {
        started.interrupt();
        return (await started.ended).code;
      },
    });
    const isUp = (): boolean => {
      if (started.hasEnded()) throw new Error(started.output());
      return started.output().includes('Ctrl-C stops everything.');
    };
    await waitUntil(isUp, { what: command, timeoutMs: stepTimeoutMs });
    return { code: 0, output: started.output() };
  }

  /** Until everything that was sent has arrived: card, order, and what came back. */
  private async look(command: string): Promise<Typed> {
    const arrived = async (): Promise<Typed | undefined> => {
      const looked = await this.start(command).ended;
      return effectsIn(looked.output).length >= effectsExpected ? looked : undefined;
    };
    return waitUntil(arrived, { what: 'three effects at the sandbox', timeoutMs: stepTimeoutMs });
  }

  private start(command: string) {
    const { folder: cwd, env } = this.run;
    // A group of its own, as in a terminal: Ctrl-C is for whatever npx has started, too.
    const options = { cwd, env, detached: true } as const;
    const child = spawn('bash', ['-e', '-c', command], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
    const ended = new Promise<Typed>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code: code ?? 1, output }));
    });
    return {
      ended,
      output: () => output,
      hasEnded: () => child.exitCode !== null,
      interrupt: () => {
        if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT');
      },
    };
  }
}

const effectsExpected = 3;

interface Effect {
  readonly operation: string;
  readonly uniqueId: string;
  readonly body: { readonly amount?: number } | null;
}

/** What the ledger says, where it could be read. */
export function effectsIn(output: string): readonly Effect[] {
  try {
    return (JSON.parse(output) as { readonly items: readonly Effect[] }).items;
  } catch {
    return [];
  }
}
