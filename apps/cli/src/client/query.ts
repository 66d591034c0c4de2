import type { AuditQuery, IntentQuery, ReplayQuery } from '#contracts';

import { wrongUsage } from '../command-line/command-failure.js';

/** The keys of a query; where not every value is allowed, those that are. */
export type QueryKeys = Readonly<Record<string, readonly string[] | null>>;

/** One `key=value`; a value that holds spaces stands in quotes, in which a backslash takes the next character as it is. */
const pair = /\s*([^\s=]+)=("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s"']\S*)(?=\s|$)/y;

function unquoted(text: string): string {
  const isQuoted = text.startsWith('"') || text.startsWith("'");
  return isQuoted ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
}

function checked(key: string, value: string, keys: QueryKeys): void {
  if (!Object.hasOwn(keys, key)) {
    const known = Object.keys(keys);
    throw wrongUsage(`--query: ${JSON.stringify(key)} is none of ${known.join(', ')}`);
  }
  const allowed = keys[key] ?? null;
  if (value === '') throw wrongUsage(`--query: ${key} has no value`);
  // Several statuses with commas between them; where that is not meant, the daemon refuses it.
  const values = key === 'status' ? value.split(',') : [value];
  if (allowed === null || values.every((one) => allowed.includes(one))) return;
  throw wrongUsage(`--query: ${key} is one of ${allowed.join(', ')}`);
}

/** `key=value key="a value"`, each key once. @throws {CommandFailure} that names the known keys */
export function parseQuery(text: string, keys: QueryKeys): Record<string, string> {
  const query: Record<string, string> = {};
  let at = 0;
  const end = text.trimEnd().length;
  while (at < end) {
    pair.lastIndex = at;
    const [, key, value] = pair.exec(text) ?? [];
    if (key === undefined || value === undefined) {
      throw wrongUsage(
        `--query: must be key=value, separated by spaces, from ${JSON.stringify(text.slice(at).trim())} on`,
      );
    }
    checked(key, unquoted(value), keys);
    if (Object.hasOwn(query, key)) throw wrongUsage(`--query: ${key} is there twice`);
    query[key] = unquoted(value);
    at = pair.lastIndex;
  }
  return query;
}

const plain = /^[^\s"'\\]+$/;

/** As `parseQuery` reads it. */
export function queryText(query: Readonly<Record<string, string>>): string {
  const quoted = (value: string): string => (plain.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`);
  return Object.entries(query)
    .map(([key, value]) => `${key}=${quoted(value)}`)
    .join(' ');
}

/** Types only: the schemas themselves take longer to load than a command takes as a whole. */
type Keys<Q> = Readonly<Record<Exclude<keyof Q, 'cursor' | 'limit'>, readonly string[] | null>>;

const statuses: readonly NonNullable<IntentQuery['status']>[] = [
  'waiting',
  'pending',
  'delivering',
  'unknown',
  'delivered',
  'parked',
  'cancelled',
];

export const operations: readonly NonNullable<IntentQuery['operation']>[] = [
  'issue',
  'issue-via-workflow',
  'update-via-workflow',
  'transaction',
  'reward',
  'schedule-update',
];

/** What selects parked intents. */
export const replayKeys: Keys<ReplayQuery> = {
  status: ['parked'],
  operation: operations,
  program: null,
  memberId: null,
  source: null,
  store: null,
  purchaseId: null,
  reason: null,
  code: null,
  fingerprint: null,
  from: null,
  to: null,
  q: null,
};

/** The keys of `GET /intents`. */
export const intentKeys: Keys<IntentQuery> = { ...replayKeys, status: statuses, order: ['newest', 'oldest'] };

/** What selects records set aside. */
export const quarantineFilterKeys: QueryKeys = {
  ...{ reason: null, detail: null, topic: null, source: null, store: null, program: null },
  ...{ cause: null, memberId: null, purchaseId: null, from: null, to: null },
};

/** The keys of `GET /quarantine`. */
export const quarantineKeys: QueryKeys = {
  state: ['open', 'resubmitted', 'discarded', 'any'],
  ...quarantineFilterKeys,
};

export const auditKeys: Keys<AuditQuery> = { actor: null, action: null, memberId: null, from: null, to: null };

export const jobItemKeys = {
  state: ['waiting', 'sent', 'done', 'delivered', 'parked', 'cancelled', 'refused', 'skipped'],
} as const;
