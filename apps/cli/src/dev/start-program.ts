import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { startBoundProcess, waitUntil } from '#embedded';

interface ProgramToStart {
  readonly app: 'daemon' | 'wallet-sandbox';
  /** All that the program is configured by: what this process was given must not leak into it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Holds `APP.log`. */
  readonly folder: string;
  /** Removed when the program ends, however that happens. */
  readonly removeFolder?: string;
}

export interface StartedProgram {
  /** The line in which it said that it is ready. */
  readonly ready: Readonly<Record<string, unknown>>;
  readonly logFile: string;
  /** Resolves when it has ended, with what is to be said about it. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

const readyTimeoutMs = 30_000;
/** Longer than the daemon's own grace for a drain. */
const stopGraceMs = 30_000;
const inherited = ['PATH', 'HOME', 'TMPDIR'];

/** The daemon by a program of ours, which knows of links that log an operator in. */
const mains = { daemon: './main.js', 'wallet-sandbox': '../../../wallet-sandbox/src/main.js' };

const mainOf = (app: ProgramToStart['app']): string => fileURLToPath(new URL(mains[app], import.meta.url));

async function readyLine(logFile: string, from: number): Promise<Readonly<Record<string, unknown>> | undefined> {
  const text = (await readFile(logFile, 'utf8').catch(() => '')).slice(from);
  const line = text
    .split('\n')
    .slice(0, -1)
    .find((each) => each.startsWith('{"ready":true'));
  return line === undefined ? undefined : (JSON.parse(line) as Readonly<Record<string, unknown>>);
}

/**
 * Starts one of our programs, compiled, in a process that ends with this one, and waits until it is ready.
 * @throws with the end of its log when it ends instead
 */
export async function startProgram(program: ProgramToStart): Promise<StartedProgram> {
  const { app, environment, folder, removeFolder } = program;
  const logFile = join(folder, `${app}.log`);
  // The log of the last run, in a folder that is kept, ends with a line that says ready as well.
  const from = (await readFile(logFile, 'utf8').catch(() => '')).length;
  const child = await startBoundProcess({
    command: process.execPath,
    args: ['--enable-source-maps', mainOf(app)],
    cwd: folder,
    logFile,
    environment: { ...Object.fromEntries(inherited.map((name) => [name, process.env[name]])), ...environment },
    graceMs: stopGraceMs,
    ...(removeFolder === undefined ? {} : { removeFolder }),
  });
  const ended = child.exited.then((code) => `the ${app} ended with code ${code}:\n${child.logTail()}`);
  const outcome = async (): Promise<Readonly<Record<string, unknown>> | 'ended' | undefined> =>
    (await readyLine(logFile, from)) ?? (child.isRunning() ? undefined : 'ended');
  try {
    const ready = await waitUntil(outcome, { what: `the ${app} to be ready`, timeoutMs: readyTimeoutMs });
    if (ready === 'ended') throw new Error(await ended);
    return { ready, logFile, ended, stop: () => child.stop() };
  } catch (error) {
    await child.stop();
    throw error;
  }
}
