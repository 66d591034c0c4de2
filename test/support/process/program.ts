import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';

/** What is wrong with the command line of one of our programs. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const usageExitCode = 2;

/** The options of this process, or its end: what is wrong, and the help, on standard error. */
export function optionsOrExit<Options>(read: (args: readonly string[]) => Options, helpText: string): Options {
  try {
    return read(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${helpText}\n`);
    process.exit(usageExitCode);
  }
}

interface NumberRange {
  readonly min: number;
  readonly max: number;
}

/** A whole number of a command line. @throws UsageError */
export function wholeNumber(name: string, text: string, { min, max }: NumberRange): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) throw new UsageError(`--${name} wants ${min} to ${max}`);
  return value;
}

/** What must be undone, last first; everything is tried. */
export class Undo {
  private readonly steps: (() => Promise<unknown>)[] = [];

  add(step: () => Promise<unknown>): void {
    this.steps.push(step);
  }

  /** Runs `work`, then undoes, however it ended. What went wrong first is thrown. */
  async after<T>(work: () => Promise<T>): Promise<T> {
    let result: T;
    try {
      result = await work();
    } catch (error) {
      await this.run();
      throw error;
    }
    const [failure] = await this.run();
    if (failure !== undefined) throw failure;
    return result;
  }

  private async run(): Promise<Error[]> {
    const failures: Error[] = [];
    for (const step of this.steps.splice(0).reverse()) {
      await step().catch((error: unknown) => failures.push(error instanceof Error ? error : new Error(String(error))));
    }
    return failures;
  }
}

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

const packageNames = [
  'kafkajs',
  'pg',
  'typeorm',
  'undici',
  'axios',
  'graphile-worker',
  'pg-boss',
  '@restatedev/restate-server',
  '@restatedev/restate-sdk',
];
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
