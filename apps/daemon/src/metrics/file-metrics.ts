import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';

/** The files of secrets and certificates that this process follows, by variable. */
interface FollowedFiles {
  readonly followed: readonly string[];
  readonly broken: ReadonlyMap<string, string>;
}

/** Whether each file can be used as it is now. */
export function registerFileMetrics(registry: Registry, files: FollowedFiles): void {
  new Gauge({
    name: 'loyaltyd_file_broken',
    help: 'Whether the file of a variable cannot be used as it is now: the last good value is in force',
    labelNames: ['file'],
    registers: [registry],
    collect() {
      for (const file of files.followed) this.set({ file }, files.broken.has(file) ? 1 : 0);
    },
  });
}
