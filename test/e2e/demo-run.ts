import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { checkoutRoot, watchOver } from '#test-support';

export const demoMsMax = 110_000;

type Command = readonly [program: string, ...words: string[]];

/** As a person starts it; npm's own banner is left out of standard output. */
export const byNpm: Command = ['npm', 'run', '--silent', 'demo', '--'];
/** What that starts, once it has been built. */
export const itself: Command = [process.execPath, 'dist/apps/cli/src/demo/main.js'];

/** A run of the demo. */
export class Demo {
  private readonly child: ChildProcess;
  private stdout = '';
  private stderr = '';

  constructor([program, ...first]: Command, words: readonly string[]) {
    this.child = spawn(program, [...first, ...words], { cwd: checkoutRoot, env: { ...process.env, NODE_OPTIONS: '' } });
    watchOver(this.child);
    this.child.stdout?.on('data', (chunk) => (this.stdout += String(chunk)));
    this.child.stderr?.on('data', (chunk) => (this.stderr += String(chunk)));
  }

  get said(): { readonly stdout: string; readonly stderr: string } {
    return { stdout: this.stdout, stderr: this.stderr };
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  async ended(): Promise<number | null> {
    if (!this.hasEnded) await once(this.child, 'close', { signal: AbortSignal.timeout(demoMsMax) });
    return this.child.exitCode;
  }

  pressCtrlC(): void {
    this.child.kill('SIGINT');
  }

  /** What it shows of where things are, such as `kafka`. */
  shown(name: string): string {
    const line = this.stderr.split('\n').find((each) => each.startsWith(`  ${name} `)) ?? '';
    return line.slice(2 + name.length).trim();
  }
}
