import { spawn, type ChildProcess } from 'node:child_process';

const watch = 'while read -r _; do :; done; kill -KILL "$1"';

/**
 * Kills `child` when this process ends without having done so, however it ends: a shell waits for the end of a pipe
 * that only we hold. It goes as soon as the child is gone.
 */
export const watchOver = (child: ChildProcess): void => {
  const watcher = spawn('/bin/sh', ['-c', watch, 'watch', `${child.pid ?? 0}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watcher.on('error', () => undefined);
  watcher.stdin.on('error', () => undefined);
  (watcher.stdin as typeof watcher.stdin & { unref(): void }).unref();
  watcher.unref();
  child.once('exit', () => {
    watcher.kill('SIGKILL');
    watcher.stdin.destroy();
  });
};
