import type { Environment, Program } from '#contracts';
import type { DialectLayers } from '#gateway';
import { DialectError, DialectRegistry, loadDialectFile } from '#gateway';

import { dialectLayers } from '../environment/configuration.module.js';
import type { LoadedPrograms } from '../programs/programs-holder.js';
import { ProgramsFileError, ProgramsHolder } from '../programs/programs-holder.js';
import type { Examination, Examined, Step } from './examination.js';
import { readMs } from './examination.js';
import type { Finding } from './finding.js';
import { failed, nameList, ok, warning } from './finding.js';

const environmentName = 'environment';

function variableOf(error: string): string {
  return error.slice(0, error.indexOf(':'));
}

function variableRemedy(variable: string): string {
  const readable = 'the file must exist and be readable by this user; in a container: is it mounted?';
  if (variable.endsWith('_FILE')) return `Mend what ${variable} names: ${readable}`;
  return `Set ${variable} as docs/configuration.md says, then start again. A secret may come by ${variable}_FILE instead: ${readable}`;
}

function variableFinding(error: string): Finding {
  const variable = variableOf(error);
  return failed(`${environmentName}.${variable}`, {
    detail: error.slice(variable.length + 2),
    remedy: variableRemedy(variable),
  });
}

/** What may be read on the way, because somebody allowed it. */
function cleartextFindings({ cleartext }: Environment): readonly Finding[] {
  const links = Object.entries(cleartext).map(([name, to]) => `${name}: ${to}`);
  if (links.length === 0) return [];
  return [
    warning(`${environmentName}.cleartext`, {
      detail: `not everything leaves this machine encrypted (${links.join('; ')})`,
      remedy:
        'Give it TLS, and take its name out of ALLOW_CLEARTEXT: docs/configuration.md, Encryption on the way. Where nobody else is ' +
        'on that network, nothing is to be done.',
    }),
  ];
}

/** One line for each variable that is wrong. */
export function environmentFindings(environment: Environment, errors: readonly string[]): readonly Finding[] {
  const well = ok(environmentName, `every variable that the roles ${environment.roles.join(', ')} need is right`);
  return [...(errors.length > 0 ? errors.map(variableFinding) : [well]), ...cleartextFindings(environment)];
}

/** Which network may be trusted, and whether certificates are looked at. */
const ofAll = ['ALLOW_CLEARTEXT', 'NODE_TLS_REJECT_UNAUTHORIZED'] as const;

const prefixesByPart = {
  kafka: ['KAFKA_', ...ofAll],
  database: ['DATABASE_', ...ofAll],
  // Past a proxy that is not what it should be, secrets would leave another way.
  wallet: ['WALLET_', 'HTTPS_PROXY', ...ofAll],
} as const;

/** The parts that may be used: where one variable of them is wrong, another may have been read as something else. */
export function soundParts(
  environment: Environment,
  errors: readonly string[],
): Pick<Environment, 'kafka' | 'database' | 'wallet'> {
  const isSound = (part: keyof typeof prefixesByPart): boolean =>
    !errors.some((error) => prefixesByPart[part].some((prefix) => variableOf(error).startsWith(prefix)));
  return {
    kafka: isSound('kafka') ? environment.kafka : null,
    database: isSound('database') ? environment.database : null,
    wallet: isSound('wallet') ? environment.wallet : null,
  };
}

/** The programs file as the daemon would read it now. */
export interface ReadPrograms {
  readonly loaded: LoadedPrograms;
  /** Checked. */
  readonly layers: DialectLayers;
}

const programsFileName = 'programs.file';
const dialectName = 'programs.dialect';

/** The names of the findings that keep the daemon from starting. */
export const programsNames: readonly string[] = [programsFileName, dialectName];

const fileRemedy =
  'Mend the programs file (LOYALTYD_PROGRAMS) at the path that is named; docs/configuration.md explains every key. ' +
  'What runs keeps the file it has until a valid one is reloaded.';
const dialectRemedy =
  'Mend WALLET_DIALECT, or the dialect section of the program that is named; docs/partner-dialect.md explains every key.';

function programsTroubles(error: unknown): readonly Finding[] {
  if (error instanceof ProgramsFileError) {
    return error.problems.map((detail) => failed(programsFileName, { detail, remedy: fileRemedy }));
  }
  if (error instanceof DialectError) {
    const details = error.problems.map((problem) => `${error.source}: ${problem}`);
    return details.map((detail) => failed(dialectName, { detail, remedy: dialectRemedy }));
  }
  throw error;
}

const numeric = /^\d+$/;

/** Names that share a value. */
function shared(entries: readonly (readonly [string, string])[]): readonly string[] {
  const byValue = Map.groupBy(entries, ([, value]) => value);
  return [...byValue.values()]
    .filter((same) => same.length > 1)
    .map((same) => same.map(([name]) => name).join(' and '));
}

/** The partner answers these as numbers (partner-api.md section 2): anything else is likely to be something else. */
function idsOf({ brandId, programId, purchases }: Program): readonly (readonly [string, string])[] {
  const types = Object.entries(purchases).flatMap(([name, mapping]: [string, Program['purchases']['completed']]) =>
    mapping?.via === 'transaction' ? [[`purchases.${name}.transactionTypeId`, mapping.transactionTypeId] as const] : [],
  );
  return [['brandId', brandId], ['programId', programId], ...types];
}

function oddities(name: string, program: Program): readonly string[] {
  const at = `programs.${name}`;
  const tiers = Object.entries(program.tiers).map(([tier, id]) => [tier, String(id)] as const);
  const rewards = Object.entries(program.rewards).map(([reward, { id }]) => [reward, id] as const);
  return [
    ...idsOf(program)
      .filter(([, id]) => !numeric.test(id))
      .map(([path]) => `${at}.${path} is no number, as the partner's ids of that kind are`),
    ...shared(tiers).map((names) => `${at}.tiers: ${names} are one tier at the partner`),
    ...shared(rewards).map((names) => `${at}.rewards: ${names} are one reward at the partner`),
  ];
}

/** What is valid and yet hardly meant. */
export function programOddities(programs: Readonly<Record<string, Program>>): readonly Finding[] {
  const entries = Object.entries(programs);
  const places = entries.map(([name, { brandId, programId }]) => [name, `${brandId}/${programId}`] as const);
  const details = [
    ...entries.flatMap(([name, program]) => oddities(name, program)),
    ...shared(places).map((names) => `programs: ${names} are one program at the partner`),
  ];
  const remedy = 'Compare it with what the partner configured. If it is meant so, nothing is to be done.';
  return details.map((detail) => warning('programs.shape', { detail, remedy }));
}

async function readPrograms(path: string, dialectPath: string | null): Promise<ReadPrograms> {
  const dialectFile = dialectPath === null ? null : await loadDialectFile(dialectPath);
  const { current: loaded } = await ProgramsHolder.open(path, dialectFile ?? {});
  const layers = dialectLayers(dialectFile, loaded.file);
  // It refuses what is wrong in them.
  new DialectRegistry(layers);
  return { loaded, layers };
}

async function examinePrograms(path: string, dialectPath: string | null): Promise<Examined<ReadPrograms>> {
  try {
    const value = await readPrograms(path, dialectPath);
    const { file, hash } = value.loaded;
    const names = Object.keys(file.programs);
    const hex = Buffer.from(hash).toString('hex');
    const well = ok(programsFileName, `${path}: ${names.length} valid (${nameList(names)}), hash ${hex}`);
    return { findings: [well, ...programOddities(file.programs)], value };
  } catch (error) {
    return { findings: programsTroubles(error), value: null };
  }
}

/** The programs file and the dialects: valid, and what looks odd in them. */
export function checkPrograms(
  examination: Examination,
  { path, dialectPath }: { readonly path: string; readonly dialectPath: string | null },
): Step<ReadPrograms> {
  const plan = { name: programsFileName, timeoutMs: readMs, remedy: fileRemedy };
  return examination.check(plan, () => examinePrograms(path, dialectPath));
}
