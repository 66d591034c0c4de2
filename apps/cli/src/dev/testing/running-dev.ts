import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { waitUntil } from '#embedded';

const root = fileURLToPath(new URL('../../../../../', import.meta.url));
const startTimeoutMs = 60_000;

/** A `loyaltyd dev` in a process of its own. */
export interface RunningDev {
  readonly brokers: string;
  readonly operations: string;
  readonly ledger: string;
  /** With a code that logs in once. */
  readonly console: string;
  /** Ctrl-C. @returns the exit code */
  interrupt(): Promise<number | null>;
}

/** What stands in a line of the printed table. */
const rowOf = (output: string, name: string): string =>
  new RegExp(`^ {2}${name} +(.*)$`, 'm').exec(output)?.[1] ?? `no row ${name}`;

let child: ChildProcess | undefined;

/** Starts it on free ports, and waits until it has printed its table. */
export const startDev = async (dataFolder: string, more: readonly string[] = []): Promise<RunningDev> => {
  const words = ['dev', '--data', dataFolder, '--port', '0', '--sandbox-port', '0', ...more];
  const dev = spawn(process.execPath, [join(root, 'apps/cli/bin/loyaltyd.js'), ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  child = dev;
  let output = '';
  for (const stream of [dev.stdout, dev.stderr]) stream.on('data', (text) => (output += String(text)));
  const ended = new Promise<number | null>((resolve) => dev.once('close', resolve));
  await waitUntil(
    () => {
      if (dev.exitCode !== null) throw new Error(output);
      return output.includes('Ctrl-C stops everything.');
    },
    { what: 'loyaltyd dev', timeoutMs: startTimeoutMs },
  );
  return {
    brokers: rowOf(output, 'kafka').split(' ')[0] ?? '',
    operations: rowOf(output, 'daemon').split(' ')[0] ?? '',
    console: rowOf(output, 'console').split(' ')[0] ?? '',
    ledger: /ledger (\S+)/.exec(rowOf(output, 'wallet sandbox'))?.[1] ?? '',
    interrupt: () => {
      dev.kill('SIGINT');
      return ended;
    },
  };
};

/** Ends the one that a failed test has left. */
export const endDev = (): void => void child?.kill('SIGKILL');
