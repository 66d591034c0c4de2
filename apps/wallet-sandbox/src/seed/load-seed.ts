import { z } from 'zod';
import { readYaml, yamlBytesMax } from '#contracts';
import { readFileStart } from '#platform';
import { type Seed, type SeedInput, seedSchema } from './seed.js';

/** The seed cannot be read, or is not one; the message names every wrong path. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
}

/** The seed of a YAML file, or the default seed when `file` is null. Throws SeedError. */
export async function loadSeed(file: string | null): Promise<Seed> {
  return parseSeed(file === null ? defaultSeed : await seedIn(file));
}

/** Validates a seed and fills in its defaults. Throws SeedError. */
export function parseSeed(value: unknown): Seed {
  const parsed = seedSchema.safeParse(value);
  if (!parsed.success) throw new SeedError(`SANDBOX_SEED: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

async function seedIn(file: string): Promise<unknown> {
  const bytes = await readFileStart(file, yamlBytesMax).catch((error: unknown) => unreadable(file, [String(error)]));
  const read = readYaml(bytes);
  return read.ok ? read.value : unreadable(file, read.errors);
}

/** @throws {SeedError} */
function unreadable(file: string, problems: readonly string[]): never {
  throw new SeedError(`SANDBOX_SEED: cannot read ${file}: ${problems.join('; ')}`);
}

const purchase = {
  id: '31',
  name: 'purchase',
  attributes: [{ name: 'store' }, { name: 'receipt', unique: true }, { name: 'campaign' }, { name: 'system' }],
};
const refund = { id: '32', name: 'refund', attributes: [{ name: 'receipt', unique: true }, { name: 'of' }] };
const plain = { id: '33', name: 'plain' };

const common = {
  templates: [11],
  tiers: [1, 2],
  transactionTypes: [purchase, refund, plain],
  rewards: [
    { id: '9001', points: -10 },
    { id: '9002', points: 0 },
  ],
};

/** The default seed of contracts.md section 9. */
export const defaultSeed: SeedInput = {
  wording: 0,
  brands: [
    {
      id: '101',
      uniqueIdentifier: 'metaData.memberId',
      brandAttributes: [{ id: 501, name: 'memberId', searchable: true, unique: true }],
      programs: [
        { ...common, id: '2001', enrolment: 'direct', workflows: [{ id: '78', does: 'update' }] },
        {
          ...common,
          id: '2002',
          enrolment: 'workflow',
          workflows: [
            { id: '77', does: 'issue' },
            { id: '78', does: 'update' },
          ],
        },
      ],
    },
    { id: '102', uniqueIdentifier: 'email', programs: [{ ...common, id: '2101', enrolment: 'direct' }] },
  ],
};
