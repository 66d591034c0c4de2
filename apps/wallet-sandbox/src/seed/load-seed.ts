import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { chooseWording } from '../contract/wordings.js';
import { Refusal } from '../http/refusal.js';
import { checkContent } from '../passes/change-pass.js';
import { checkMetaData } from '../passes/meta-data.js';
import { activeStatus } from '../passes/pass.js';
import { requireUniqueId } from '../passes/unique-id.js';
import { buildBrand, buildProgram, type Program } from './catalogue.js';
import { type PresetPass, type Seed, type SeedInput, type SeedProgram, seedSchema } from './seed.js';

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

const wording = chooseWording(0);

/** What an issue would refuse of the seed's passes, and statuses whose name has two numbers; one line each. */
function presetProblems(seed: Seed): string[] {
  const numbers = new Map([[activeStatus.statusCode, activeStatus.status]]);
  return seed.brands.flatMap((brand) =>
    brand.programs.flatMap((program) => {
      const built = buildProgram(program, buildBrand(brand));
      return [...issueProblems(program, built), ...statusProblems(program, numbers)].map(
        (problem) => `brand ${brand.id}, program ${program.id}, passes: ${problem}`,
      );
    }),
  );
}

function issueProblems({ passes }: SeedProgram, program: Program): string[] {
  const seen = new Set<string>();
  return passes.flatMap((pass) => {
    const uniqueId = uniqueIdOf(pass, program);
    if (uniqueId instanceof Refusal) return [uniqueId.message];
    if (seen.has(uniqueId)) return [`${uniqueId} is given twice`];
    seen.add(uniqueId);
    const { content } = pass;
    const problem =
      checkContent(program, content, wording) ?? checkMetaData(program.brand, { content, use: 'issue', wording });
    return problem ?? [];
  });
}

function uniqueIdOf({ content }: PresetPass, program: Program): string | Refusal {
  try {
    return requireUniqueId(program.uniqueIdentifier, content, wording);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function statusProblems({ passes }: SeedProgram, numbers: Map<string, number>): string[] {
  return passes.flatMap(({ status: { statusCode, status } }) => {
    const known = numbers.get(statusCode) ?? status;
    numbers.set(statusCode, known);
    return known === status ? [] : [`status ${statusCode} has two numbers: ${known} and ${status}`];
  });
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
