import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A program of the benchmark in a process of its own. It answers every message with exactly one. */
export interface Child {
  /** @throws when it ends or says nothing within `timeoutMs` */
  ask<Answer>(message: unknown, timeoutMs: number): Promise<Answer>;
  stop(): Promise<void>;
  /** As a machine does that loses its power; resolves when it is gone. */
  kill(): Promise<void>;
}

const startTimeoutMs = 30_000;
const stopTimeoutMs = 5_000;

const nextMessage = <Answer>(child: ChildProcess, name: string, timeoutMs: number): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit);
      finish();
    };
    const onMessage = (message: unknown): void => settle(() => resolve(message as Answer));
    const onExit = (code: number | null): void => settle(() => reject(new Error(`${name} ended with ${code}`)));
    const onTimeout = (): void => settle(() => reject(new Error(`${name} said nothing for ${timeoutMs} ms`)));
    const timer = setTimeout(onTimeout, timeoutMs);
    child.on('message', onMessage).on('exit', onExit);
  });

const endOf = (child: ChildProcess): Promise<void> => new Promise((resolve) => child.once('exit', () => resolve()));

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

const kill = async (child: ChildProcess): Promise<void> => {
  if (hasEnded(child)) return;
  const ended = endOf(child);
  child.kill('SIGKILL');
  await ended;
};

const stop = async (child: ChildProcess): Promise<void> => {
  if (hasEnded(child)) return;
  const ended = endOf(child);
  child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(timer);
};

/**
 * Starts `./NAME` beside this file; resolves with its first message. It ends by itself when this process does.
 * @param nodeFlags for its Node, such as `--cpu-prof`
 */
export const startChild = async (
  path: string,
  args: readonly string[],
  nodeFlags: readonly string[] = [],
): Promise<{ readonly child: Child; readonly hello: unknown }> => {
  const program = fileURLToPath(new URL(`./${path}${extname(import.meta.filename)}`, import.meta.url));
  const execArgv = [...process.execArgv, ...nodeFlags];
  const child = fork(program, [...args], { execArgv, stdio: ['ignore', process.stderr, 'inherit', 'ipc'] });
  const name = [path, ...args].join(' ');
  const hello = await nextMessage<unknown>(child, name, startTimeoutMs);
  const ask = async <Answer>(message: unknown, timeoutMs: number): Promise<Answer> => {
    const answer = nextMessage<Answer>(child, name, timeoutMs);
    child.send(message as object);
    return answer;
  };
  return { child: { ask, stop: () => stop(child), kill: () => kill(child) }, hello };
};

const nanosecondsPerMs = 1e6;

/** Milliseconds of the machine's monotonic clock: the same in all processes, whatever happens to the time of day. */
export const machineMs = (): number => Number(process.hrtime.bigint()) / nanosecondsPerMs;
