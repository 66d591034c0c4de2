import type { Environment } from '#contracts';
import { DialectError, DialectRegistry, loadDialectFile } from '#gateway';

import { dialectLayers } from '../environment/configuration.module.js';
import { formatJudge } from '../environment/source-tables.js';
import { ProgramsFileError, ProgramsHolder } from '../programs/programs-holder.js';
import type { Given, ReadPrograms } from './checks.js';
import type { Finding } from './finding.js';
import { failed, nameList, ok } from './finding.js';

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

/** One line for each variable that is wrong. */
export async function checkEnvironment({ environment, errors }: Given): Promise<readonly Finding[]> {
  if (errors.length > 0) return errors.map(variableFinding);
  return [ok(environmentName, `every variable that the roles ${environment.roles.join(', ')} need is right`)];
}

/** Which network may be trusted, and whether certificates are looked at. */
const ofAll = ['ALLOW_CLEARTEXT', 'NODE_TLS_REJECT_UNAUTHORIZED'] as const;

const prefixesByPart = {
  kafka: ['KAFKA_', ...ofAll],
  database: ['DATABASE_', ...ofAll],
  // Past a proxy that is not what it should be, secrets would leave another way.
  wallet: ['WALLET_', 'HTTPS_PROXY', ...ofAll],
  vault: ['VAULT_', ...ofAll],
  notices: ['NOTICE_', ...ofAll],
} as const;

/** The parts that may be used: where one variable of them is wrong, another may have been read as something else. */
export function soundParts(
  environment: Environment,
  errors: readonly string[],
): Pick<Environment, keyof typeof prefixesByPart> {
  const isSound = (part: keyof typeof prefixesByPart): boolean =>
    !errors.some((error) => prefixesByPart[part].some((prefix) => variableOf(error).startsWith(prefix)));
  return {
    kafka: isSound('kafka') ? environment.kafka : null,
    database: isSound('database') ? environment.database : null,
    wallet: isSound('wallet') ? environment.wallet : null,
    vault: isSound('vault') ? environment.vault : null,
    notices: isSound('notices') ? environment.notices : null,
  };
}

const programsFileName = 'programs.file';
const dialectName = 'programs.dialect';

/** Whether a finding keeps the daemon from starting. */
export function isConfiguration({ name, state }: Finding): boolean {
  return state === 'failed' && (name.startsWith(environmentName) || [programsFileName, dialectName].includes(name));
}

export const fileRemedy =
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

type FilesToRead = Pick<Environment, 'programsFile' | 'sourcesFile' | 'dialectFile' | 'schemaRegistry'>;

async function readPrograms(files: FilesToRead): Promise<ReadPrograms> {
  const dialectFile = files.dialectFile === null ? null : await loadDialectFile(files.dialectFile);
  const parts = { dialect: dialectFile ?? {}, sourcesFile: files.sourcesFile, judgeFormat: formatJudge(files) };
  const { current: loaded } = await ProgramsHolder.open(files.programsFile, parts);
  const layers = dialectLayers(dialectFile, loaded.file);
  // It refuses what is wrong in them.
  new DialectRegistry(layers);
  return { loaded, layers };
}

/** The programs file and the dialects: valid, or not. */
export async function checkPrograms({ environment, opened }: Given): Promise<readonly Finding[]> {
  const { programsFile: path } = environment;
  try {
    const programs = await readPrograms(environment);
    const { file, hash } = programs.loaded;
    opened.programs = programs;
    const names = Object.keys(file.programs);
    const hex = Buffer.from(hash).toString('hex');
    return [ok(programsFileName, `${path}: ${names.length} valid (${nameList(names)}), hash ${hex}`)];
  } catch (error) {
    return programsTroubles(error);
  }
}
