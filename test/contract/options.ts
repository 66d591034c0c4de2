import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { UsageError } from '../support/process/program.js';
import type { Selection } from './specification.js';
import type { SpokenPartner } from './spoken-partners.js';
import { spokenPartners } from './spoken-partners.js';

/** The service that the user names. */
interface GivenService {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
}

export interface ContractOptions {
  readonly isHelp: boolean;
  readonly isJson: boolean;
  /** Nobody is asked before something is written. */
  readonly isYes: boolean;
  readonly selection: Selection;
  /** Null: the suite starts the wallet sandbox itself. */
  readonly service: GivenService | null;
  readonly setupFile: string | null;
  readonly dialectFile: string | null;
  /** How our own sandbox speaks; null: as its default seed says. */
  readonly speaks: SpokenPartner['name'] | null;
}

export const helpText = `npm run contract -- [options]

Checks a Wallet Card API against its specification, row by row, by plain HTTP and through our gateway; says of each
assumption of the dialect whether it is right there, and of each transaction type whether uniqueEnforced may be claimed.
Without --base-url it starts the wallet sandbox (with a Postgres of its own) and puts every fault on it, too.

  --base-url URL            the service; ends with /brands
  --auth-url URL            its token address, without /oauth2/token
  --client-id ID            of the OAuth 2.0 client
  --client-secret-file FILE its secret; or --client-secret SECRET, which other users of this machine can see
  --scope SCOPE             the scope of the token
  --setup FILE              ids to use there, and what the account may not do (default: the sandbox's seed)
  --dialect FILE            the dialect to check; as WALLET_DIALECT
  --speaks north|south      how our own sandbox speaks: two partners of which every name, form and value that the
                            specification does not show is another one, each checked under its own dialect, without
                            faults
  --only read|write         only what reads (nothing is written), or only what writes
  --yes                     do not ask before writing
  --json                    one JSON object on standard output instead of the tables
  --help                    this text

Exit code 0: nothing is wrong. 1: something is. 2: wrong usage, or nobody there to be asked.`;

const parse = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    options: {
      'base-url': { type: 'string' },
      'auth-url': { type: 'string' },
      'client-id': { type: 'string' },
      'client-secret': { type: 'string' },
      'client-secret-file': { type: 'string' },
      scope: { type: 'string' },
      setup: { type: 'string' },
      dialect: { type: 'string' },
      speaks: { type: 'string' },
      only: { type: 'string' },
      yes: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });

type Values = ReturnType<typeof parse>['values'];

/** @throws UsageError, whose message never holds the secret */
export function readOptions(args: readonly string[]): ContractOptions {
  const values = parsed(args);
  const service = values.help ? null : serviceOf(values);
  return {
    isHelp: values.help,
    isJson: values.json,
    isYes: values.yes,
    selection: selectionOf(values.only),
    service,
    setupFile: values.setup ?? null,
    dialectFile: values.dialect ?? null,
    speaks: speaksOf(values, service),
  };
}

function parsed(args: readonly string[]): Values {
  try {
    return parse(args).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function selectionOf(only: string | undefined): Selection {
  if (only === undefined || only === 'read' || only === 'write') return only ?? null;
  throw new UsageError('--only wants read or write');
}

function speaksOf({ speaks, dialect }: Values, service: GivenService | null): ContractOptions['speaks'] {
  if (speaks === undefined) return null;
  const partner = spokenPartners.find(({ name }) => name === speaks);
  if (partner === undefined) throw new UsageError('--speaks wants north or south');
  if (service !== null || dialect !== undefined) {
    throw new UsageError('--speaks is for our own sandbox, with its own dialect');
  }
  return partner.name;
}

const serviceOptions = ['base-url', 'auth-url', 'client-id', 'scope'] as const;

function serviceOf(values: Values): GivenService | null {
  const isGiven = [...serviceOptions, 'client-secret', 'client-secret-file'].some(
    (name) => values[name as 'scope'] !== undefined,
  );
  if (!isGiven) return null;
  const missing = serviceOptions.filter((name) => (values[name] ?? '') === '');
  if (missing.length > 0) throw new UsageError(`missing: ${missing.map((name) => `--${name}`).join(', ')}`);
  return {
    baseUrl: urlOf('base-url', values),
    authUrl: urlOf('auth-url', values),
    clientId: values['client-id'] ?? '',
    clientSecret: secretOf(values),
    scope: values.scope ?? '',
  };
}

function urlOf(name: 'base-url' | 'auth-url', values: Values): string {
  const url = normalizedUrl(values[name] ?? '');
  if (url === null) throw new UsageError(`--${name} wants an https address, or an http one on this machine`);
  if (name === 'base-url' && !url.endsWith('/brands')) throw new UsageError('--base-url must end with /brands');
  return url;
}

function secretOf({ 'client-secret': secret, 'client-secret-file': file }: Values): string {
  if ((secret === undefined) === (file === undefined)) {
    throw new UsageError('give one of --client-secret-file and --client-secret');
  }
  try {
    const text = secret ?? readFileSync(file ?? '', 'utf8').trim();
    if (text !== '') return text;
  } catch {
    // A message about a secret's file may quote the secret.
  }
  throw new UsageError('the client secret is empty or cannot be read');
}

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** An address without a slash at its end; null when a secret must not go there. */
function normalizedUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, username, search, hash, href } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && loopback.has(hostname));
  return isSafe && username === '' && search === '' && hash === '' ? href.replace(/\/+$/, '') : null;
}
