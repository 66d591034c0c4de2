import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import {
  CommandFailure,
  FileProblem,
  inputJson,
  lintFile,
  loadPrograms,
  readSourceRecords,
  SampleSources,
  type Terminal,
} from '#cli';
import { apiDepthMax, parseProgramsFile, PROGRAMS_FILE_EXAMPLE } from '#contracts';
import type { Chance } from '#shop';

import { joinHead, jsonOf, mustHold, splitHead, type FuzzTarget } from '../fuzz-target.js';
import { mutateBytes, mutateJson, planted } from '../mutate.js';

const read = parseProgramsFile(PROGRAMS_FILE_EXAMPLE);
if (!read.ok) throw new Error('the example is none');
const programs = read.value;
const nowMs = Date.UTC(2026, 10, 21, 10);

const kinds = ['samples', 'lines', 'source-lines', 'facts', 'body', 'programs', 'sources', 'dialect'] as const;
type Kind = (typeof kinds)[number];

const isKind = (kind: unknown): kind is Kind => kinds.includes(kind as Kind);

const nothing: AsyncIterable<Buffer> = Readable.from([]);

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** `loyaltyd lint` of samples of ours. */
async function lint(file: string): Promise<string> {
  const said: string[] = [];
  for await (const report of lintFile(file, { programs, stdin: nothing, clock: () => nowMs })) {
    if ('problem' in report) mustHold(report.problem !== '', 'a file is refused without a reason');
    else mustHold(report.line >= 1, 'a sample stands nowhere', report.line);
    said.push('problem' in report ? report.problem : `${report.verdict} ${report.reason}`);
  }
  return [...new Set(said)].toSorted().join(', ');
}

/** Samples of a source, for `lint`, `send` and `dev`: lines, or one beside a file of its facts. */
async function readSamplesOf(file: string): Promise<string> {
  try {
    const records = await readSourceRecords(file, new SampleSources(programs, 'till'), nothing);
    for (const record of records ?? []) {
      if ('detail' in record) mustHold(record.detail !== '', 'a line is refused without a reason');
      else {
        mustHold(
          Object.values(record.headers)
            .flat()
            .every((text) => typeof text === 'string'),
          'a header is no text',
        );
      }
    }
    const broken = records?.filter((record) => 'detail' in record).length ?? 0;
    return `${records === null ? 'none' : 'records'}${broken > 0 ? ' some broken' : ''}`;
  } catch (error) {
    if (error instanceof FileProblem) return error.message;
    throw error;
  }
}

/** `--file` of a correction, which stands in the body of a request. */
async function readBody(bytes: Buffer): Promise<string> {
  const terminal = { readInput: () => Promise.resolve(bytes) } as Partial<Terminal> as Terminal;
  try {
    const value = await inputJson(terminal, '-');
    mustHold(depthOf(value) <= apiDepthMax, 'it nests deeper than its bound');
    return 'body';
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    mustHold(!error.message.includes(planted), 'a failure quotes the file', error.message);
    return error.message;
  }
}

/** `loyaltyd lint` of the files that a daemon is given. */
async function loadHouse(paths: Parameters<typeof loadPrograms>[0]): Promise<string> {
  const loaded = await loadPrograms(paths, () => 'cannot be read');
  if (loaded.ok) return 'loaded';
  mustHold(loaded.problems.length > 0 && !loaded.problems.includes(''), 'it is refused without a reason');
  return `refused ${loaded.problems[0]?.replace(/^.*?: /, '')}`;
}

/** What is repeated within itself doubles each time. */
const treeBytesMax = 16 * 1024;

const words: readonly string[] = [
  ...[
    'key',
    'headers',
    'value',
    'payload',
    'topic',
    'timestamp',
    'specversion',
    'content-type',
    'till.sales',
    '\n',
    '\r',
  ],
  ...[
    '\ufeff',
    '\xff\xfe',
    '[',
    ']',
    '{',
    '}',
    ',',
    '1e999',
    '9007199254740993',
    '__proto__',
    'map_file',
    'map',
    'till',
  ],
  ...['&a ', '*a', '<<: *a', '- ', 'topics', 'types', 'programs', 'key', 'format', 'hook', '../../../etc/passwd'],
];

const event = {
  ...{
    specversion: '1.0',
    id: 'e-1',
    source: '/pos',
    type: 'loyalty.purchase.completed.v1',
    time: '2026-11-21T09:00:00Z',
  },
  data: { program: 'coffee-club', memberId: 'm', purchaseId: 'p', total: { minor: 100, currency: 'EUR' } },
};
const line = { topic: 'till.sales', key: 'k', headers: { a: ['x', 'y'] }, value: { receipt: 'r', total: 1.5 } };
const sources = 'till:\n  topics: [till.sales]\n  format: json\n  map: "{ \\"id\\": id }"\n  types: []\n';

const samples: readonly (readonly [Kind, string])[] = [
  ['samples', JSON.stringify(event)],
  ['samples', JSON.stringify([event, { value: event, key: 'm', headers: { a: 'b' } }])],
  ['lines', [event, { value: event, headers: ['a', 'b'] }].map((each) => JSON.stringify(each)).join('\n')],
  [
    'source-lines',
    [line, { ...line, headers: [{ key: 'a', value: 'b' }] }].map((each) => JSON.stringify(each)).join('\n'),
  ],
  ['facts', JSON.stringify({ key: 'k', headers: { a: 'x' }, topic: 'till.sales', timestamp: '2026-11-21T09:00:00Z' })],
  ['body', JSON.stringify({ amount: '1.00', attributes: { a: ['b'] } })],
  ['programs', PROGRAMS_FILE_EXAMPLE],
  ['sources', sources],
  ['dialect', 'schedule: { changeProperty: update }\n'],
];

/** Files that commands are given: samples, corrections, and what a daemon is to be given. */
export async function commandFileTarget(): Promise<FuzzTarget> {
  const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-fuzz-'));
  await mkdir(join(folder, 'till'));
  const at = (name: string): string => join(folder, name);
  await writeFile(at('whole.yaml'), PROGRAMS_FILE_EXAMPLE);
  const bare = PROGRAMS_FILE_EXAMPLE.replace(/^sources:[^]*?(?=^provision:)/m, '');
  await writeFile(at('bare.yaml'), bare);
  await writeFile(at('till/one'), '{}');
  const whole = { programs: at('whole.yaml'), sources: null, dialect: null };
  const write = async (name: string, bytes: Buffer): Promise<string> => {
    await writeFile(at(name), bytes);
    return at(name);
  };
  const judges: Readonly<Record<Kind, (bytes: Buffer) => Promise<string>>> = {
    samples: async (bytes) => lint(await write('a.json', bytes)),
    lines: async (bytes) => lint(await write('a.ndjson', bytes)),
    'source-lines': async (bytes) => readSamplesOf(await write('till/a.ndjson', bytes)),
    facts: async (bytes) => {
      await write('till/one.record.json', bytes);
      return readSamplesOf(at('till/one'));
    },
    body: readBody,
    programs: async (bytes) => loadHouse({ ...whole, programs: await write('a.yaml', bytes) }),
    sources: async (bytes) => loadHouse({ ...whole, programs: at('bare.yaml'), sources: await write('s.yaml', bytes) }),
    dialect: async (bytes) => loadHouse({ ...whole, dialect: await write('d.yaml', bytes) }),
  };
  const make = (chance: Chance, pool: readonly Buffer[]): Buffer => {
    const parts = splitHead(chance.pick(pool));
    if (parts === null) return mutateBytes(chance.pick(pool), chance, words, pool);
    const json = parts.body.length > treeBytesMax ? undefined : jsonOf(parts.body);
    const isTree = json !== undefined && chance.happens(0.6);
    const body = isTree ? Buffer.from(JSON.stringify(mutateJson(json, chance, words))) : null;
    const { of } = parts.head as { readonly of: Kind };
    return joinHead(
      { of: chance.happens(0.1) ? chance.pick(kinds) : of },
      body ?? mutateBytes(parts.body, chance, words, pool),
    );
  };
  const judge = async (input: Buffer): Promise<string> => {
    const parts = splitHead(input);
    const of = (parts?.head as { readonly of?: unknown } | undefined)?.of;
    return parts === null || !isKind(of) ? 'no file' : `${of} ${await judges[of](parts.body)}`;
  };
  return {
    ...{ name: 'command-file', make, judge },
    samples: samples.map(([of, text]) => joinHead({ of }, Buffer.from(text))),
    close: () => rm(folder, { recursive: true }),
  };
}
