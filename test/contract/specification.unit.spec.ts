import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { loadFaults } from './drills.js';
import { callNames, loadSpecification, writesOf } from './specification.js';

/** Not a row of its own there: it says of every brand what `unique_id` is. */
const byMemberId = "unique_id where the e-mail is the brand's unique identifier";

/**
 * The rows of the document's tables, and of the lists that stand for tables in 4.7 to 4.13, 5, 7 and 8, counted in the
 * document itself: section -> table -> keys.
 */
const documented: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  '2': {
    WalletPass: [
      'passId',
      'serialNumber',
      'templateId',
      'groupId',
      'personId',
      'templateTierId',
      'currentMessage',
      'passdata',
      'downloadUrl',
      'downloadUrlApple',
      'downloadUrlGoogle',
      'statusCode',
      'status',
    ],
    PassData: [
      'optOut',
      'points',
      'seat',
      'row',
      'section',
      'gate',
      'expiryDate',
      'status',
      'profileImage',
      'metaData',
    ],
    'Person input': ['firstName', 'lastName', 'email', 'phone', '(further properties)'],
    'Brand attribute': ['brandAttributeId', 'name', 'description', 'dataType', 'searchable', 'unique'],
    'Transaction attribute': ['transactionAttributeId', 'name', 'dataType', 'required'],
    Transaction: ['transactionId', 'transactionTypeId', 'amount', 'transactionDate', 'attributes'],
    'Transaction type': ['transactionTypeId', 'name', 'programId'],
    'Wallet template': ['templateId', 'name', 'passType'],
    Brand: ['brandId', 'name', 'statusCode'],
    'SMS subscription value': ['200', '300', '900'],
  },
  '4': {
    '4.1 query': ['person_id', 'email', 'unique_id', byMemberId],
    '4.1 answer': ['200', '400'],
    '4.2 body': [
      'person',
      'passdata',
      'IP address',
      'tier id',
      'template id',
      'program id',
      'brand id',
      'group id',
      'current message',
      'SMS subscription value',
    ],
    '4.2 answer': ['success', 'status of a new pass', '400'],
    '4.3 body': ['person', 'passdata'],
    '4.3 effect': ['issues', 'updates'],
    '4.3 answer': ['200', 'error'],
    '4.4 query': ['person_id', 'email', 'email where it is not the unique identifier', 'unique_id'],
    '4.4 body': [
      'scheduledName',
      'scheduledTimestamp',
      'scheduledTimestamp beside a pair',
      '(date-time value)',
      '(timezone value)',
      'half of the pair',
      'filters',
    ],
    '4.4 answer': ['200'],
    '4.5 query': [
      'page size',
      'page number',
      'count only',
      'template id',
      'template tier id',
      'status code filter',
      'status code query type',
      'last updated filter',
      'last updated query type',
      'last updated start date',
      'last updated end date',
      'email',
      'unique_id',
      'pass serial number',
      'group identifier',
    ],
    '4.5 answer': ['data', 'pageNumber', 'pageSize', 'totalCount'],
    '4.6 query': ['pass identifier', 'pass serial number', 'unique_id', byMemberId],
    '4.6 answer': ['200'],
    '4.7 query': ['unique_id', byMemberId, 'serial number'],
    '4.7 body': ['amount', 'transactionDate', 'attributes'],
    '4.7 answer': ['transactionId', 'transactionTypeId', 'amount', 'transactionDate'],
    '4.8 body': ['name'],
    '4.8 answer': ['transactionTypeId', 'name', 'programId'],
    '4.9 body': ['name', 'dataType', 'required', 'description', 'unique key', 'encrypted'],
    '4.9 answer': ['transactionAttributeId', 'name', 'dataType'],
    '4.10 body': [
      'name',
      'dataType',
      'dataType number',
      'searchable',
      'unique',
      'description',
      'required',
      'encrypted',
      'status code',
    ],
    '4.10 answer': ['brandAttributeId', 'name', 'dataType', 'searchable', 'unique'],
    '4.11 body': ['(all properties optional)'],
    '4.11 answer': ['200'],
    '4.12 body': ['name', 'passType'],
    '4.12 answer': ['templateId', 'name'],
    '4.13 body': ['name'],
    '4.13 answer': ['brandId', 'name', 'statusCode'],
  },
  '5': {
    header: ['Authorization', 'Content-Type'],
    request: ['address'],
    'form fields': ['grant_type', 'client_id', 'client_secret', 'scope'],
    answer: ['access_token', 'expires_in', 'token_type'],
    expiry: ['401'],
  },
  '7': {
    errors: [
      '400 lookup',
      '400 issue, required fields',
      '400 issue, unique-identifier rules',
      '401 expired',
      '401 missing',
      '401 invalid',
      '401 on every endpoint',
      'workflow issue',
    ],
  },
  '8': { limits: ['page size', 'access token lifetime'] },
};

const expected = Object.entries(documented).flatMap(([section, tables]) =>
  Object.entries(tables).flatMap(([table, keys]) => keys.map((key) => `${section} / ${table} / ${key}`)),
);

const specification = loadSpecification();

describe('the transcribed specification', () => {
  it('has every row of the document, and no other', () => {
    expect(specification.rows.map(({ id }) => id).sort()).toEqual([...expected].sort());
  });

  it('has no row twice', () => {
    expect(new Set(specification.rows.map(({ id }) => id)).size).toBe(specification.rows.length);
  });

  it('checks something in every row', () => {
    const unchecked = specification.rows.filter(
      ({ steps, gateway }) => steps.length === 0 || (gateway !== undefined && Object.keys(gateway.expect).length === 0),
    );
    expect(unchecked.map(({ id }) => id)).toEqual([]);
  });

  it('says of every row what the document says', () => {
    expect(specification.rows.filter(({ words }) => words.trim() === '')).toEqual([]);
  });

  it('knows every scene that a row or a scene rests on', () => {
    const named = [...specification.rows, ...Object.values(specification.scenes)].flatMap(({ after }) => after);
    expect(named.filter((name) => !Object.hasOwn(specification.scenes, name))).toEqual([]);
    expect(named.length).toBeGreaterThan(30);
  });

  it('makes every call of the document in some row', () => {
    const made = new Set(specification.rows.flatMap(({ steps }) => steps.map(({ call }) => call)));
    expect(callNames.filter((call) => !made.has(call))).toEqual([]);
  });

  it('tells rows that write from rows that read', () => {
    const writing = (id: string): string[] => {
      const row = specification.rows.find((each) => each.id === id)!;
      return writesOf(row, specification);
    };
    expect(writing('4 / 4.1 answer / 400')).toEqual([]);
    expect(writing('7 / errors / 401 missing')).toEqual([]);
    expect(writing('4 / 4.1 answer / 200')).toEqual(['issue']);
    expect(writing('2 / Transaction / amount')).toEqual(['issue', 'transaction', 'transaction']);
  });
});

/** The files that a file imports, by relative paths, itself included; packages by their names. */
function reachable(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, target = ''] of text.matchAll(/(?:from|import) '([^']+)'/g)) {
    const path = resolve(dirname(file), target.replace(/\.js$/, '.ts'));
    if (target.startsWith('.') && existsSync(path)) reachable(path, seen);
    else seen.add(target);
  }
  return seen;
}

describe('independence', () => {
  const root = import.meta.dirname;
  const allowed = /^(?:node:|yaml$|zod$)/;

  it.each(['plain-client.ts', 'interpreter/session.ts', 'probe-assumptions.ts', 'prove-unique.ts'])(
    '%s rests on no library of ours',
    (file) => {
      const imported = [...reachable(join(root, file))].filter((target) => !target.startsWith('/'));
      expect(imported.length).toBeGreaterThan(0);
      expect(imported.filter((target) => !allowed.test(target))).toEqual([]);
    },
  );

  it('is data: nothing but YAML lies in the specification', () => {
    const files = readdirSync(join(root, 'specification'));
    expect(files.length).toBeGreaterThan(8);
    expect(files.filter((file) => !file.endsWith('.yaml'))).toEqual([]);
  });
});

it('drills every fault of the sandbox, or says why not', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../apps/wallet-sandbox/README.md'), 'utf8');
  const rows = (page.split('\n## Faults\n')[1] ?? '').split('\n## ')[0]?.match(/^\| `[^|]*/gm) ?? [];
  const kinds = rows.flatMap((row) =>
    [...row.replace(/\(.*?\)/g, '').matchAll(/`([a-z-]+)`/g)].map(([, kind]) => kind),
  );
  expect(kinds.length).toBeGreaterThan(20);
  const drilled = new Set(loadFaults().drills.map(({ kind }) => kind));
  expect(kinds.filter((kind) => kind !== undefined && !drilled.has(kind))).toEqual([]);
});
