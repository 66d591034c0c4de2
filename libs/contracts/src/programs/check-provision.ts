import type { ProgramProblem } from './check-program.js';
import { transactionsOf } from './check-program.js';
import type { Program, ProgramsFile } from './program.js';
import type { DeclaredProgram, ProvisionSection } from './provision.js';
import { countDeclared } from './provision.js';

/** What one section may declare: each thing is a call, and a row that is kept for ever. */
export const provisionThingsMax = 1_000;

type Check = (section: ProvisionSection, programs: ProgramsFile['programs']) => readonly ProgramProblem[];

/** Rules between the `provision` section and the programs. `path` begins at the file. */
export function checkProvision({ provision, programs }: ProgramsFile): ProgramProblem[] {
  if (provision === undefined) return [];
  return checks.flatMap((check) =>
    check(provision, programs).map(({ path, rule }) => ({ path: `provision${path}`, rule })),
  );
}

const checkSize: Check = (section) =>
  countDeclared(section) > provisionThingsMax
    ? [{ path: '', rule: `declares more than ${provisionThingsMax} things` }]
    : [];

const checkBrands: Check = ({ brands }, programs) => {
  const known = new Set(Object.values(programs).map(({ brandId }) => brandId));
  const strangers = Object.keys(brands).filter((brandId) => !known.has(brandId));
  return strangers.map((brandId) => ({ path: `.brands.${brandId}`, rule: 'no program of the file has this brandId' }));
};

const checkPrograms: Check = (section, programs) => {
  const declared = new Map<string, string>();
  return Object.keys(section.programs).flatMap((name) => {
    const path = `.programs.${name}`;
    const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
    if (program === undefined) return [{ path, rule: 'must be one of programs' }];
    const other = declared.get(partnerProgram(program));
    if (other !== undefined) {
      return [{ path, rule: `is the same program of the partner as ${other}: declare what it has once` }];
    }
    declared.set(partnerProgram(program), name);
    return [];
  });
};

const checkUniqueAttributes: Check = (section, programs) =>
  Object.entries(section.programs).flatMap(([name, declared]) => {
    const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
    if (program === undefined) return [];
    const users = Object.values(programs).filter((each) => partnerProgram(each) === partnerProgram(program));
    return users
      .flatMap((user) => notUnique(user, declared))
      .map(({ path, rule }) => ({
        path: `.programs.${name}.transactionTypes.${path}`,
        rule,
      }));
  });

/** Declared attributes that a mapping takes for unique, and the declaration does not. */
function notUnique(user: Program, { transactionTypes }: DeclaredProgram): ProgramProblem[] {
  return transactionsOf(user).flatMap(([setting, { transactionTypeId, uniqueAttribute }]) => {
    const type = Object.hasOwn(transactionTypes, transactionTypeId) ? transactionTypes[transactionTypeId] : undefined;
    if (type === undefined || uniqueAttribute === null || !Object.hasOwn(type.attributes, uniqueAttribute)) return [];
    if (type.attributes[uniqueAttribute]?.unique === true) return [];
    const path = `${transactionTypeId}.attributes.${uniqueAttribute}.unique`;
    return [{ path, rule: `must be true: it is the uniqueAttribute of ${setting}` }];
  });
}

function partnerProgram({ brandId, programId }: Program): string {
  return JSON.stringify([brandId, programId]);
}

const checks: readonly Check[] = [checkSize, checkBrands, checkPrograms, checkUniqueAttributes];
