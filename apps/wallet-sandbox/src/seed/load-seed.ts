import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { presetProblems } from '../presets/preset-problems.js';
import { defaultSeed } from './default-seed.js';
import { type Seed, seedSchema } from './seed.js';

/** The seed cannot be read, or is not one; the message names every wrong path. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
}

/** The seed of a YAML file, or the default seed when `file` is null. Throws SeedError. */
export async function loadSeed(file: string | null): Promise<Seed> {
  return parseSeed(file === null ? defaultSeed : await readYaml(file));
}

/** Validates a seed and fills in its defaults. Throws SeedError. */
export function parseSeed(value: unknown): Seed {
  const parsed = seedSchema.safeParse(value);
  if (!parsed.success) throw new SeedError(`SANDBOX_SEED: ${z.prettifyError(parsed.error)}`);
  const problems = presetProblems(parsed.data);
  if (problems.length > 0) throw new SeedError(`SANDBOX_SEED: ${problems.join('\n')}`);
  return parsed.data;
}

async function readYaml(file: string): Promise<unknown> {
  try {
    return parse(await readFile(file, 'utf8')) as unknown;
  } catch (error) {
    throw new SeedError(`SANDBOX_SEED: cannot read ${file}: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}
