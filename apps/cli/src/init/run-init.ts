import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { exitError, exitOk, wrongUsage } from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import type { GivenAnswers } from './ask-answers.js';
import { askAnswers } from './ask-answers.js';
import type { House, HouseFile } from './house-files.js';
import { fromRoot, houseFiles, secretsFile, tokenFile } from './house-files.js';
import { questions } from './questions.js';

interface InitOptions {
  readonly folder: string;
  /** Flags by the names of their questions. */
  readonly given: Readonly<Record<string, string | boolean | undefined>>;
  readonly isYes: boolean;
  readonly isForced: boolean;
}

/** Of the compiled program, and of its source: both lie so deep below the project. */
const root = resolve(fileURLToPath(new URL('../../../../', import.meta.url))).replace(/\/dist$/, '');

/** Env files name the folder, and shells and Compose read them. */
const plainPath = /^[\w.~+/@,-]+$/;

/** Set for a folder that is made here: it holds secrets. */
const folderMode = 0o755;
const secretMode = 0o600;
const openMode = 0o644;

/** `loyaltyd init`: asks, checks, and writes a house. @returns the exit code */
export async function runInit(options: InitOptions, terminal: Terminal): Promise<number> {
  const folder = resolve(options.folder);
  if (!plainPath.test(folder)) throw wrongUsage('the path of the folder must be of letters, digits and ._~+/@,-');
  const answers = await askAnswers({ terminal, given: givenBy(options, terminal), isYes: options.isYes });
  const house = { answers, folder, root, now: new Date().toISOString() };
  const files = houseFiles(house);
  const { kept, written } = divided(files, house, options.isForced);
  if (!options.isYes && !(await isConfirmed(written, house, terminal))) return exitError;
  for (const file of written) await write(folder, file);
  await terminal.print(`${[...report(house, { kept, written }), ...nextSteps(house)].join('\n')}\n`);
  return exitOk;
}

function givenBy({ given }: InitOptions, { env }: Terminal): GivenAnswers {
  const entries = questions.flatMap(({ name, variable }) => {
    const answer = variable === undefined ? given[name] : env[variable];
    return typeof answer === 'string' && answer !== '' ? [[name, answer]] : [];
  });
  return Object.fromEntries(entries) as GivenAnswers;
}

interface DividedFiles {
  readonly kept: readonly HouseFile[];
  readonly written: readonly HouseFile[];
}

/** Secrets that are there stay. @throws {CommandFailure} where another file is there, unless forced */
function divided(files: readonly HouseFile[], { folder }: House, isForced: boolean): DividedFiles {
  const there = files.filter(({ path }) => existsSync(join(folder, path)));
  if (there.length > 0 && !isForced) {
    const names = there.map(({ path }) => path).join(', ');
    throw wrongUsage(`${folder} has ${names} already: choose another folder, or --force to write over all but secrets`);
  }
  // Token and digest belong together: one of them alone would lock out whoever has the other.
  const hasSecrets = there.some(({ isSecret }) => isSecret);
  const kept = hasSecrets ? files.filter(({ isSecret }) => isSecret) : [];
  return { kept, written: files.filter((file) => !kept.includes(file)) };
}

async function isConfirmed(written: readonly HouseFile[], { folder }: House, terminal: Terminal): Promise<boolean> {
  const answer = await terminal.ask(`Write ${written.length} files into ${folder}? [y/N]: `);
  return /^y(?:es)?$/i.test(answer.trim());
}

async function write(folder: string, { path, text, isSecret }: HouseFile): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true, mode: folderMode });
  // `wx`: a secret that appeared meanwhile is not written over either.
  await writeFile(file, text, isSecret ? { mode: secretMode, flag: 'wx' } : { mode: openMode });
}

function report({ folder }: House, { kept, written }: DividedFiles): string[] {
  const line = ({ path, isSecret }: HouseFile): string => `  ${path}${isSecret ? '  (readable by you alone)' : ''}`;
  return [
    `${folder}:`,
    ...written.map(line),
    ...kept.map(({ path }) => `  ${path}  (kept as it was)`),
    '',
    `Your token for the console and the command line is in ${tokenFile}; keep a copy of ${secretsFile} apart from the database.`,
    '',
  ];
}

function nextSteps(house: House): string[] {
  const here = relative(process.cwd(), house.folder) || '.';
  return [
    'Next, all of it on this machine, at a sandbox that has what your programs file names:',
    `  npx --no-install loyaltyd dev --programs ${here}/loyaltyd.yaml --dialect ${here}/dialect.yaml --kafka-port 9092`,
    `  npx --no-install loyaltyd send --programs ${here}/loyaltyd.yaml --brokers 127.0.0.1:9092 ${here}/samples`,
    ...startOf(house),
  ];
}

function startOf(house: House): string[] {
  const here = fromRoot(house);
  if (house.answers.target === 'compose') {
    return [
      'Then in containers:',
      `  docker compose --env-file ${here}/${secretsFile} -f docker-compose.yml -f ${here}/compose.yaml up --build --wait`,
    ];
  }
  if (house.answers.target !== 'helm') return [];
  return [
    'Then in your cluster:',
    `  kubectl create secret generic loyaltyd --from-env-file=${here}/${secretsFile}`,
    `  helm upgrade --install loyaltyd deploy/helm/loyaltyd --values ${here}/values.yaml --set-file programs.text=${here}/loyaltyd.yaml --set-file dialect.text=${here}/dialect.yaml --wait --timeout 65m`,
  ];
}
