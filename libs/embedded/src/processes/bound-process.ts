import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const tailBytesMax = 16_384;
const tailLinesMax = 30;

/** A log file that can be read to its end even after it was removed, as long as it is not closed. */
class ProcessLog {
  readonly descriptor: number;
  private last: string | undefined;

  constructor(file: string) {
    this.descriptor = openSync(file, 'a+');
  }

  /** The last lines. */
  tail(): string {
    if (this.last !== undefined) return this.last;
    const { size } = fstatSync(this.descriptor);
    const bytes = Buffer.alloc(Math.min(size, tailBytesMax));
    readSync(this.descriptor, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8').trimEnd().split('\n').slice(-tailLinesMax).join('\n');
  }

  /** Keeps the tail. Again: nothing happens. */
  close(): void {
    if (this.last !== undefined) return;
    this.last = this.tail();
    closeSync(this.descriptor);
  }
}

/**
 * POSIX shell: `sh -c guard NAME SIGNAL GRACE_SECONDS FOLDER COMMAND...`. It runs the command and watches its own
 * standard input, the read end of a pipe whose only write end is held by the parent: end of file means that the parent
 * let go or died, even by SIGKILL. Then the command gets the signal, after the grace SIGKILL, and the folder is removed.
 * A shell and not a second Node: it starts at once and weighs under a megabyte. `sleep` and `rm` are where every system has
 * them, whatever the PATH says.
 */
export const boundProcessGuard = `
signal=$1 grace=$2 folder=$3
shift 3
exec 3<&0
"$@" 3<&- </dev/null &
child=$!
trap 'kill -$signal $child 2>/dev/null' HUP INT TERM
{
  while read -r _ <&3; do :; done
  kill -$signal $child
  waited=0
  while [ $waited -lt $grace ] && kill -0 $child; do /bin/sleep 1; waited=$((waited + 1)); done
  kill -KILL $child
} </dev/null >/dev/null 2>&1 &
watcher=$!
wait $child
code=$?
while kill -0 $child 2>/dev/null; do wait $child; code=$?; done
kill -KILL $watcher 2>/dev/null
[ -n "$folder" ] && /bin/rm -rf "$folder"
exit $code
`;

export interface BoundProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Working folder; it must be readable for the user that the process runs as. */
  readonly cwd: string;
  /** Gets standard output and standard error. */
  readonly logFile: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** Sent first when the process has to end; SIGKILL follows after `graceMs`. */
  readonly stopSignal?: 'INT' | 'TERM';
  readonly graceMs?: number;
  /** Removed once the process has ended, also if this process was killed. */
  readonly removeFolder?: string;
  readonly user?: ProcessUser | undefined;
}

/** The numeric user and group a child runs as. */
export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
}

export interface BoundProcess {
  /** Process id of the guard; its process group holds the guard and the process. */
  readonly pid: number;
  /** Exit code, 128 + n after signal n; resolves once, never rejects. */
  readonly exited: Promise<number>;
  isRunning(): boolean;
  /** The last lines of the log file, for messages; also after the end, when it may be removed. */
  logTail(): string;
  /** Ends the process and resolves when it is gone and `removeFolder` is removed. Again: the same promise. */
  stop(): Promise<void>;
}

const graceMsDefault = 10_000;
/** How much longer than the guard's own grace we wait before the whole process group is killed. */
const guardGraceMs = 3_000;

const spawnGuard = (options: BoundProcessOptions, log: ProcessLog): ChildProcess => {
  const graceSeconds = Math.ceil((options.graceMs ?? graceMsDefault) / 1000);
  const guard = ['-c', boundProcessGuard, 'guard', options.stopSignal ?? 'TERM', `${graceSeconds}`];
  return spawn('/bin/sh', [...guard, options.removeFolder ?? '', options.command, ...options.args], {
    cwd: options.cwd,
    env: options.environment ?? process.env,
    stdio: ['pipe', log.descriptor, log.descriptor],
    detached: true,
    ...options.user,
  });
};

const killGroup = (pid: number): void => {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // gone already
  }
};

/**
 * Starts a server whose life is bound to this process: it ends when `stop` is called, and also when this process
 * ends in whatever way, SIGKILL included. It runs in its own process group, so that Ctrl-C in a terminal reaches only
 * this process, which can then stop its servers in the right order. It does not keep this process alive.
 * Throws when the guard (`/bin/sh`) cannot be started; a missing command shows as exit code 127.
 */
export const startBoundProcess = async (options: BoundProcessOptions): Promise<BoundProcess> => {
  const log = new ProcessLog(options.logFile);
  const child = spawnGuard(options, log);
  const exited = new Promise<number>((resolve) => {
    child.once('exit', (code) => resolve(code ?? 137));
    child.once('error', () => resolve(126));
  }).finally(() => log.close());
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  // The guard reads until end of file: writing to it never happens, an error here means that it is gone.
  child.stdin?.on('error', () => undefined);
  (child.stdin as (NodeJS.WritableStream & { unref?(): void }) | null)?.unref?.();
  child.unref();
  const pid = child.pid ?? 0;
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    child.ref();
    child.stdin?.destroy();
    const kill = setTimeout(() => killGroup(pid), (options.graceMs ?? graceMsDefault) + guardGraceMs);
    await exited;
    clearTimeout(kill);
  };
  return {
    pid,
    exited,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    logTail: () => log.tail(),
    stop: () => (stopping ??= stop()),
  };
};
