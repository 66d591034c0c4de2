import { chooseWording } from '../contract/wordings.js';
import { Refusal } from '../http/refusal.js';
import { checkContent } from '../passes/check-content.js';
import { checkMetaData } from '../passes/check-meta-data.js';
import { activeStatus } from '../passes/status.js';
import { requireUniqueId } from '../passes/unique-id.js';
import { buildBrand, buildProgram } from '../seed/build-catalogue.js';
import type { Program } from '../seed/program.js';
import type { Seed, SeedProgram } from '../seed/seed.js';
import type { PresetPass } from './preset-pass.js';

const wording = chooseWording(0);

/** What an issue would refuse of the seed's passes, and statuses whose name has two numbers; one line each. */
export function presetProblems(seed: Seed): string[] {
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
