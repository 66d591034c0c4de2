import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

import { sourceCommand } from './source-command.js';

/** How a program that was asked for `--json` ended. */
export interface ReportedRun<Report> {
  readonly report: Report;
  readonly code: number | null;
  /** What it told on standard error meanwhile. */
  readonly said: string;
}

/** Runs one of our programs from its source to its end. @throws Error with what it said when it reports nothing */
export async function runForReport<Report>(file: string, ...args: readonly string[]): Promise<ReportedRun<Report>> {
  const { command, args: program, cwd } = sourceCommand(file, ...args, '--json');
  // kafkajs asks for timers in the past.
  const child = spawn(command, ['--disable-warning=TimeoutNegativeWarning', ...program], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, said] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await closed;
  if (!out.startsWith('{')) throw new Error(`${file} reported nothing:\n${said}`);
  return { report: JSON.parse(out) as Report, code, said };
}
