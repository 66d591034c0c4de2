import { createHash, randomBytes } from 'node:crypto';
import { isAbsolute, join, relative } from 'node:path';

import type { ProgramsFile } from '#contracts';
import { isLoopback, parseProgramsFile } from '#contracts';

import { sandboxSeed } from '../programs/sandbox-seed.js';
import { programsFile } from './programs-file.js';
import type { Answers } from './questions.js';
import { none, sandbox } from './questions.js';
import { sampleRecords } from './sample-records.js';

/** A file to write. */
export interface HouseFile {
  /** Below the folder. */
  readonly path: string;
  readonly text: string;
  /** For its owner alone, and never written over: what is sealed with an old key could not be opened by a new one. */
  readonly isSecret: boolean;
}

export interface House {
  readonly answers: Answers;
  /** Absolute. */
  readonly folder: string;
  /** The project, absolute: Compose looks from there. */
  readonly root: string;
  /** ISO 8601: when the samples happen. */
  readonly now: string;
}

/** All files of a house. Secrets are made here, anew each time. */
export function houseFiles(house: House): readonly HouseFile[] {
  const { answers } = house;
  const programs = programsFile(answers);
  const samples = sampleRecords(answers, house.now).map(({ path, record }) =>
    open(path, `${JSON.stringify(record, null, 2)}\n`),
  );
  return [
    open('loyaltyd.yaml', programs),
    open('dialect.yaml', dialectText),
    ...samples,
    open('loyaltyd.env', environmentText(house)),
    ...secretFiles(answers),
    open('.gitignore', 'secrets.env\noperator-token\n'),
    ...targetFiles(house, programs),
  ];
}

const open = (path: string, text: string): HouseFile => ({ path, text, isSecret: false });
const secret = (path: string, text: string): HouseFile => ({ path, text, isSecret: true });

const dialectText = `# What the partner's specification leaves open, where yours differs from what is assumed: docs/partner-dialect.md. The
# contract suite finds out what yours needs: docs/contract-suite.md. An entry looks like this:
#
# lookup:
#   absent:
#     statuses: [404]
`;

const lines = (variables: Readonly<Record<string, string>>): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

const isHere = (brokers: string): boolean =>
  brokers.split(',').every((broker) => isLoopback(broker.trim().replace(/:\d+$/, '')));

/** Whether a server is reached without TLS: on this machine. */
function transport({ brokers, databaseUrl }: Answers): Readonly<Record<string, string>> {
  const host = URL.parse(databaseUrl)?.hostname ?? '';
  return {
    KAFKA_SSL: String(!isHere(brokers)),
    DATABASE_SSL: isLoopback(host) ? 'disable' : 'verify-full',
  };
}

/** Without secrets: who is called, and how. */
function walletOf({ baseUrl, authUrl, scope, environment }: Answers): Readonly<Record<string, string>> {
  return {
    WALLET_BASE_URL: baseUrl,
    WALLET_AUTH_URL: authUrl,
    WALLET_SCOPE: scope,
    WALLET_ENVIRONMENT: environment,
  };
}

function environmentText({ answers, folder }: House): string {
  return `# For a process that is started by hand, with secrets.env: docs/configuration.md.
${lines({
  LOYALTYD_PROGRAMS: join(folder, 'loyaltyd.yaml'),
  WALLET_DIALECT: join(folder, 'dialect.yaml'),
  KAFKA_BROKERS: placesOf(answers).brokers,
  ...transport(answers),
  ...walletOf(answers),
})}`;
}

/** Of the Compose stack: what it publishes on this machine. */
const stack = { brokers: '127.0.0.1:29092', databaseUrl: 'postgres://daemon:daemon@127.0.0.1:25432/loyaltyd' };

function placesOf(answers: Answers): Pick<Answers, 'brokers' | 'databaseUrl'> {
  return answers.target === 'compose' ? stack : answers;
}

const keyBytes = 32;
const tokenBytes = 32;

/** Where the token is kept that `OPS_TOKENS` holds the digest of. */
export const tokenFile = 'operator-token';
export const secretsFile = 'secrets.env';

function secretFiles(answers: Answers): readonly HouseFile[] {
  const { clientId, clientSecret } = answers;
  const token = randomBytes(tokenBytes).toString('base64url');
  const variables = {
    LOYALTYD_ENCRYPTION_KEY: randomBytes(keyBytes).toString('base64'),
    OPS_TOKENS: `me:admin:${createHash('sha256').update(token).digest('hex')}`,
    DATABASE_URL: placesOf(answers).databaseUrl,
    WALLET_CLIENT_ID: clientId,
    WALLET_CLIENT_SECRET: clientSecret,
  };
  // Unquoted, so that shells, Compose and kubectl read the same.
  return [secret(secretsFile, lines(variables)), secret(tokenFile, `${token}\n`)];
}

function targetFiles(house: House, programs: string): readonly HouseFile[] {
  if (house.answers.target === 'helm') return [open('values.yaml', helmValues(house.answers))];
  if (house.answers.target === none) return [];
  const compose = open('compose.yaml', composeText(house));
  return callsSandbox(house.answers) ? [compose, open('sandbox-seed.yaml', seedText(programs))] : [compose];
}

/** That of the stack, or of `loyaltyd dev`. */
function callsSandbox({ baseUrl }: Answers): boolean {
  return baseUrl === sandbox.baseUrl;
}

/** The programs file as the daemon reads it. @throws where what is written here is no programs file: a defect */
function readHouse(programs: string): ProgramsFile {
  const parsed = parseProgramsFile(programs);
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return parsed.value;
}

function seedText(programs: string): string {
  return `# What the sandbox has: apps/wallet-sandbox/README.md, A seed.\n${JSON.stringify(sandboxSeed(readHouse(programs)), null, 2)}\n`;
}

/** As Compose finds a folder: from the project, or by its whole path. */
export function fromRoot({ folder, root }: Pick<House, 'folder' | 'root'>): string {
  const path = relative(root, folder);
  return path.startsWith('..') || isAbsolute(path) ? folder : `./${path}`;
}

/** Over the project's docker-compose.yml. */
function composeText(house: House): string {
  const { answers } = house;
  const here = fromRoot(house);
  const topics = [answers.customersTopic, answers.ordersTopic].filter((topic) => topic !== none);
  const isSandbox = callsSandbox(answers);
  return `# Over the project's docker-compose.yml, which brings Kafka, Postgres and the sandbox:
#   docker compose --env-file ${here}/${secretsFile} -f docker-compose.yml -f ${here}/compose.yaml up --build --wait
services:
  kafka:
    environment:
      LOYALTYD_TOPICS: '${topics.join(' ')}'
${isSandbox ? sandboxService(here) : ''}  daemon:
    environment:
      LOYALTYD_ENCRYPTION_KEY: \${LOYALTYD_ENCRYPTION_KEY:?}
      OPS_TOKENS: \${OPS_TOKENS:?}
      WALLET_DIALECT: /etc/loyaltyd/dialect.yaml
${isSandbox ? '' : partnerVariables(answers)}    volumes:
      - ${here}/loyaltyd.yaml:/etc/loyaltyd/loyaltyd.yaml:ro
      - ${here}/dialect.yaml:/etc/loyaltyd/dialect.yaml:ro
`;
}

const sandboxService = (here: string): string => `  wallet-sandbox:
    environment:
      SANDBOX_SEED: /etc/loyaltyd/sandbox-seed.yaml
    volumes:
      - ${here}/sandbox-seed.yaml:/etc/loyaltyd/sandbox-seed.yaml:ro
`;

function partnerVariables(answers: Answers): string {
  const variables = { ...walletOf(answers), ALLOW_CLEARTEXT: 'postgres,kafka' };
  const plain = Object.entries(variables).map(([name, value]) => `      ${name}: '${value}'\n`);
  const secrets = ['WALLET_CLIENT_ID', 'WALLET_CLIENT_SECRET'].map((name) => `      ${name}: \${${name}:?}\n`);
  return [...plain, ...secrets].join('');
}

/** For the chart. */
function helmValues(answers: Answers): string {
  const config = { KAFKA_BROKERS: answers.brokers, ...transport(answers), ...walletOf(answers) };
  const names = ['DATABASE_URL', 'LOYALTYD_ENCRYPTION_KEY', 'OPS_TOKENS', 'WALLET_CLIENT_ID', 'WALLET_CLIENT_SECRET'];
  return `# For deploy/helm/loyaltyd: docs/kubernetes.md has every value. The secret is made of secrets.env:
#   kubectl create secret generic loyaltyd --from-env-file=${secretsFile}
image:
  repository: ${answers.image}

config:
${Object.entries(config)
  .map(([name, value]) => `  ${name}: '${value}'\n`)
  .join('')}
secrets:
${names.map((name) => `  ${name}: { name: loyaltyd, key: ${name} }\n`).join('')}`;
}
