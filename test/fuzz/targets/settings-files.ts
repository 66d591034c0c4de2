import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { parse, stringify } from 'yaml';

import { parseProgramsFile, PROGRAMS_FILE_EXAMPLE } from '#contracts';
import {
  createGateway,
  DialectError,
  DialectRegistry,
  loadDialectFile,
  parseDialect,
  type HttpRequest,
  type HttpResult,
  type HttpTransport,
} from '#gateway';
import type { Chance } from '#shop';
import { VirtualClock } from '#test-support';

import { mustHold, type FuzzTarget } from '../fuzz-target.js';
import { mutateBytes, mutateJson, planted } from '../mutate.js';

/** A message may hold each pattern of a dialect up to its bound of tries, and there are six. */
const cpuMsMax = 10_000;

/** Bits of YAML that mean something, and that readers have stumbled over. */
const yamlWords: readonly string[] = [
  ...[
    '&a ',
    '*a',
    '<<: *a',
    '!!binary x',
    `!${planted} `,
    '? ',
    '---\n',
    '...\n',
    '%YAML 1.2\n',
    '|\n',
    '>\n',
    '\t',
    '"',
    "'",
    '#',
  ],
  ...['~', '0x1f', '0o17', '.inf', '.nan', '2026-11-21', '[a, b]', '{a: 1}', '- - - ', ': ', '\n', '  ', '\r\n'],
];

const programWords: readonly string[] = [
  ...[
    'programs',
    'unknownProgram',
    'provision',
    'brandId',
    'programId',
    'currency',
    'uniqueIdKey',
    'lookup',
    'enrolment',
  ],
  ...[
    'update',
    'via',
    'issue',
    'workflow',
    'workflowId',
    'tiers',
    'purchases',
    'completed',
    'transactionTypeId',
    'sign',
  ],
  ...[
    'attributes',
    'uniqueAttribute',
    'uniqueEnforced',
    'purchaseKey',
    'onUnknown',
    'probe',
    'park',
    'resend',
    'onPark',
  ],
  ...[
    'limits',
    'retries',
    'dialect',
    'personAttributes',
    'person.birthDate',
    'inFlightMs',
    'coffee-club',
    'email',
    'schedule',
  ],
];

const patterns = [
  '(a+)+$',
  '(?:a|a)*b',
  '(\\w+\\s?)*$',
  '(?=a)',
  '[',
  '(?<n>x)\\k<n>',
  '\\p{L}+',
  '.{0,2000}x',
  '(.*)*x',
  'a{1000}{1000}',
];

function dialectWords(): string[] {
  const names: string[] = [];
  JSON.stringify(parseDialect('fuzz'), (key, value: unknown) => {
    names.push(key);
    return value;
  });
  return [...new Set(names), ...patterns, 'any', 'object', 'documented', 'unknown', '2xx'];
}

/** The file as a tree, changed; null where it is none. */
function changedTree(text: string, chance: Chance, words: readonly string[]): string | null {
  let tree: unknown;
  try {
    tree = parse(text, { logLevel: 'silent' });
  } catch {
    return null;
  }
  if (typeof tree !== 'object') return null;
  const changed = mutateJson(tree, chance, words);
  return chance.happens(0.5) ? JSON.stringify(changed) : stringify(changed, { aliasDuplicateObjects: false });
}

function makerOf(words: readonly string[]): FuzzTarget['make'] {
  return (chance, pool) => {
    const file = chance.pick(pool);
    const tree = chance.happens(0.6) ? changedTree(file.toString(), chance, words) : null;
    return tree === null ? mutateBytes(file, chance, [...yamlWords, ...words], pool) : Buffer.from(tree);
  };
}

/** Where only a key may be shown: a value that is wrong must not be. */
function isPlantedKey(text: string): boolean {
  try {
    let isKey = false;
    JSON.stringify(parse(text, { merge: true, logLevel: 'silent' }), (key, value: unknown) => {
      isKey ||= key.includes(planted);
      return value;
    });
    return isKey;
  } catch {
    return false;
  }
}

function judgeProblems(problems: readonly string[], text: string): string {
  mustHold(problems.length > 0 && problems.every((problem) => problem !== ''), 'refused without a reason');
  const quoting = problems.find((problem) => problem.includes(planted));
  if (quoting !== undefined) mustHold(isPlantedKey(text), 'a problem quotes what stands in the file', quoting);
  return `refused ${problems.slice(0, 3).join('; ')}`;
}

/** `loyaltyd.yaml`: taken, or refused with a path and a rule. */
export function programsFileTarget(): FuzzTarget {
  const judge = (input: Buffer): string => {
    const text = input.toString();
    const read = parseProgramsFile(text);
    if (!read.ok) return judgeProblems(read.errors, text);
    const again = parseProgramsFile(text);
    mustHold(again.ok && again.canonicalText === read.canonicalText, 'a file means another thing the second time');
    mustHold(Object.isFrozen(read.value), 'what a file says can be changed');
    const programs = Object.entries(read.value.programs).map(([program, { brandId, programId, dialect }]) => {
      return { program, brandId, programId, overrides: dialect };
    });
    try {
      const dialects = new DialectRegistry({ file: null, programs });
      return `taken ${dialects.of(member).dialect.tooManyRequests} ${programs.length}`;
    } catch (error) {
      if (!(error instanceof DialectError)) throw error;
      return `dialect ${judgeProblems(error.problems, text)}`;
    }
  };
  const small = 'programs:\n  a: { brandId: 1, programId: 2, currency: EUR, enrolment: { via: issue } }\n';
  const samples = [PROGRAMS_FILE_EXAMPLE, small].map((text) => Buffer.from(text));
  return { name: 'programs-file', samples, make: makerOf(programWords), judge, cpuMsMax };
}

/** What a partner could say to make a pattern try for ever. */
const longTexts = [
  'a'.repeat(5_000),
  `${'a'.repeat(999)}!`,
  'word '.repeat(1_000),
  `${'1 '.repeat(499)}!`,
  ' '.repeat(5_000),
];

/** A partner that says one thing, whatever it is asked. */
class MonotonousPartner implements HttpTransport {
  status = 400;
  message = '';

  send({ path }: HttpRequest): Promise<HttpResult> {
    const isToken = path.endsWith('/oauth2/token');
    const said = isToken ? { access_token: 't', expires_in: 3_600, token_type: 'Bearer' } : { message: this.message };
    const body = Buffer.from(JSON.stringify(said));
    return Promise.resolve({ phase: 'answered', error: null, status: isToken ? 200 : this.status, headers: {}, body });
  }
}

const member = { brandId: '101', programId: '2001', uniqueId: 'm_1', uniqueIdKey: 'memberId' };
const sale = {
  operation: 'transaction',
  ...{ ...member, transactionTypeId: '31', amount: '1.00' },
  ...{
    transactionDate: '2026-11-21T09:15:04.000Z',
    attributes: { receipt: 'B07' },
    uniqueAttribute: { name: 'receipt', value: 'B07', enforced: true },
  },
} as const;
const scheduled = { ...member, scheduledName: 'spring', at: { timestampMs: 4_102_444_800_000 } };

/** Every pattern of a dialect meets every text. */
async function speakBy(dialects: DialectRegistry): Promise<void> {
  const transport = new MonotonousPartner();
  const { partner } = createGateway({
    ...{
      baseUrl: 'https://partner.example/brands',
      authUrl: 'https://partner.example',
      scope: null,
      dialects,
      transport,
    },
    ...{ readCredentials: () => ({ clientId: 'c', clientSecret: 's' }), clock: new VirtualClock() },
  });
  for (const message of longTexts) {
    for (const status of [200, 400]) {
      Object.assign(transport, { status, message });
      await partner.send(sale, { timeoutMs: 1_000 });
      await partner.scheduleUpdate(scheduled, { timeoutMs: 1_000 });
      await partner.findPass(member, { timeoutMs: 1_000 });
    }
  }
}

/** The file of `WALLET_DIALECT`: taken and spoken, or refused with a path and a rule. */
export async function dialectFileTarget(): Promise<FuzzTarget> {
  const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-fuzz-'));
  const path = join(folder, 'dialect.yaml');
  const judge = async (input: Buffer): Promise<string> => {
    await writeFile(path, input);
    try {
      const dialects = new DialectRegistry({ file: await loadDialectFile(path), programs: [] });
      await speakBy(dialects);
      return `taken ${JSON.stringify(dialects.of(member).dialect).length}`;
    } catch (error) {
      if (!(error instanceof DialectError)) throw error;
      return judgeProblems(error.problems, input.toString());
    }
  };
  const whole = stringify(parseDialect('fuzz'));
  const samples = ['', 'success: { proof: { transaction: any } }\n', 'schedule: { changeProperty: update }\n', whole];
  return {
    ...{
      name: 'dialect-file',
      samples: samples.map((text) => Buffer.from(text)),
      make: makerOf(dialectWords()),
      judge,
      cpuMsMax,
    },
    close: () => rm(folder, { recursive: true }),
  };
}
