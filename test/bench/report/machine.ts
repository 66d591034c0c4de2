import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';

/** Where the figures come from. */
export interface MachineReport {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  /** Versions of the packages that do the work. */
  readonly packages: Readonly<Record<string, string>>;
}

const packageNames = ['kafkajs', 'pg', 'typeorm', 'undici', 'axios', 'graphile-worker', 'pg-boss'];
const bytesPerGiB = 1024 ** 3;

/** Looks for the package's own file: many packages do not export it. */
const versionOf = async (name: string): Promise<string> => {
  const { resolve } = createRequire(import.meta.url);
  const folders = resolve.paths(name) ?? [];
  for (const folder of folders) {
    const text = await readFile(join(folder, name, 'package.json'), 'utf8').catch(() => null);
    if (text !== null) return (JSON.parse(text) as { version: string }).version;
  }
  return `not found from ${dirname(import.meta.filename)}`;
};

export const describeMachine = async (): Promise<MachineReport> => {
  const versions = await Promise.all(packageNames.map(async (name) => [name, await versionOf(name)] as const));
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / bytesPerGiB),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    packages: Object.fromEntries(versions),
  };
};
