import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

import { PROGRAMS_FILE_EXAMPLE } from '#contracts';

import type { LintOptions } from '../options.js';
import { eventOf, fakeStreams, FakeTarget } from '../testing/fixtures.js';
import { runLint } from './run-lint.js';

const good = JSON.stringify(eventOf('loyalty.purchase.completed.v1'));
const other = JSON.stringify(
  eventOf('loyalty.purchase.completed.v1', { data: { purchaseId: 'b' }, frame: { id: 'b' } }),
);
const bad = JSON.stringify(
  eventOf('loyalty.purchase.completed.v1', { data: { total: { minor: -1, currency: 'EUR' } } }),
);
const extra = JSON.stringify(
  eventOf('loyalty.purchase.completed.v1', { data: { purchaseId: 'c', foo: 1 }, frame: { id: 'c' } }),
);
const tombstone = '{"key":"m","value":null}';

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const run = async (stdin: string, options: Partial<LintOptions> = {}, stdout = new FakeTarget()): Promise<Ran> => {
  const streams = fakeStreams(stdin, stdout);
  const defaults = {
    files: ['-'],
    ...{ topic: null, last: 1, brokers: null },
    ...{ programs: null, sources: null, source: null, update: false },
    dialect: null,
    output: 'table',
    strict: false,
    quiet: false,
  } as const;
  const code = await runLint({ ...defaults, now: '2026-11-21T12:00:00Z', ...options }, streams);
  return { code, stdout: streams.stdout.text, stderr: streams.stderr.text };
};

describe('the exit code of lint', () => {
  it.each<[string, string, Partial<LintOptions>, number]>([
    ['all are accepted', `${good}\n${other}`, {}, 0],
    ['all are accepted, strictly', `${good}\n${other}`, { strict: true }, 0],
    ['one is refused', `${good}\n${bad}`, {}, 4],
    ['one is warned about', extra, {}, 0],
    ['one is warned about, strictly', extra, { strict: true }, 4],
    ['one is ignored', `${good}\n${tombstone}`, {}, 0],
    ['one is ignored, strictly', `${good}\n${tombstone}`, { strict: true }, 4],
    ['there is nothing', ' \n', {}, 3],
    ['there is an empty array', '[]', {}, 3],
    ['a file cannot be read', bad, { files: ['/no/such/file', '-'] }, 1],
    ['standard input is read twice', good, { files: ['-', '-'] }, 2],
    ['neither files nor a topic are named', good, { files: [] }, 2],
    ['files and a topic are named', good, { topic: 'purchases', brokers: '127.0.0.1:1' }, 2],
    ['a topic has no brokers', good, { files: [], topic: 'purchases' }, 2],
    ['the time is no time', good, { now: 'yesterday' }, 2],
    ['a dialect stands alone', good, { dialect: '/x' }, 2],
    ['there is no programs file', good, { programs: '/no/such/file' }, 1],
  ])('tells that %s', async (...[, stdin, options, code]) => {
    const ran = await run(stdin, options);
    expect(ran.code).toBe(code);
    expect(ran.stderr === '').toBe([0, 4].includes(code));
  });
});

describe('a purchase number on another day', () => {
  const soldAt = (id: string, time: string, data: object = {}): string =>
    JSON.stringify(
      eventOf('loyalty.purchase.completed.v1', { data: { purchaseId: '17', ...data }, frame: { id, time } }),
    );

  it('is warned about, once for each that comes again', async () => {
    const days = ['2026-11-19T10:00:00Z', '2026-11-20T10:00:00Z', '2026-11-20T11:00:00Z', '2026-11-19T12:00:00Z'];
    const samples = [
      ...days.map((time, index) => soldAt(`${index}`, time)),
      soldAt('x', days[1] ?? '', { purchaseId: '18' }),
    ];
    const folder = await mkdtemp(join(tmpdir(), 'lint-'));
    const programs = join(folder, 'loyaltyd.yaml');
    await writeFile(programs, PROGRAMS_FILE_EXAMPLE);
    const { code, stdout } = await run(samples.join('\n'), { programs });
    await rm(folder, { recursive: true });
    expect(code).toBe(0);
    expect(stdout.match(/number-again .*begin again/g)).toHaveLength(2);
    expect((await run(samples.join('\n'))).stdout).not.toContain('number-again');
  });
});

describe('a sample that is too large', () => {
  const details = async (stdin: string): Promise<unknown[]> => {
    const { stdout } = await run(stdin, { output: 'jsonl' });
    const reports = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    return reports.map(({ reason, detail }) => [reason, detail]);
  };

  it.each([
    [1.5, 'value: larger than 1048576 bytes'],
    [2.5, 'value: larger than 1048576 bytes'],
  ])('is refused at %d MiB; what follows is read', async (size, detail) => {
    const large = JSON.stringify(
      eventOf('loyalty.member.merged.v1', { data: { pad: 'x'.repeat(size * 1024 * 1024) } }),
    );
    expect(await details(`${large}\n${good}`)).toEqual([
      ['unreadable', detail],
      [null, null],
    ]);
    expect(await details(`[${large},${good}]`)).toEqual([
      ['unreadable', detail],
      [null, null],
    ]);
  });

  it('is a record whose value is too large, not one that is large as it is written', async () => {
    const headers = { 'content-type': 'application/cloudevents+json' };
    const withPad = (length: number): string =>
      JSON.stringify(eventOf('loyalty.member.merged.v1', { data: { personal: '"'.repeat(length) } }));
    const record = (value: string): string => JSON.stringify({ key: 'm_81273', headers, value });
    const [fits, exceeds] = [withPad(500_000), withPad(530_000)];
    expect(record(fits).length).toBeGreaterThan(1024 * 1024);
    expect(await details(`${record(fits)}\n${record(exceeds)}`)).toEqual([
      [null, null],
      ['unreadable', expect.stringMatching(/larger|longer/)],
    ]);
  });
});

describe('the report of lint', () => {
  it('is a table for people, without anything that steers a terminal', async () => {
    const odd = JSON.stringify(eventOf('loyalty.member.merged.v1', { data: { '\u001b[2J\u202e': 1 } }));
    const { stdout } = await run(`${good}\n\n${bad}\n${odd}\n${tombstone}\n`);
    expect(stdout.split('\n')).toEqual([
      '-:1  accepted  loyalty.purchase.completed.v1',
      '-:3  refused   invalid                 data.total.minor: Too small: expected number to be >=0',
      '-:4  accepted  loyalty.member.merged.v1',
      '     warning   unsent-field            data.\\u001b[2J\\u202e: not a field of this event: kept, and sent only where a programs file maps it',
      '-:5  ignored   tombstone',
      '4 samples: 2 accepted, 1 ignored, 1 refused; 1 warnings',
      '',
    ]);
  });

  it('leaves out what is in order when it is to be quiet', async () => {
    const { stdout } = await run(`${good}\n${bad}\n${extra}\n${tombstone}\n`, { quiet: true, output: 'jsonl' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { readonly line: number }).line)).toEqual([2, 3, 4]);
  });

  it('is one YAML document', async () => {
    const { stdout } = await run(`${good}\n${bad}`, { output: 'yaml' });
    const asJson = await run(`${good}\n${bad}`, { output: 'json' });
    expect(parse(stdout)).toEqual(JSON.parse(asJson.stdout));
    expect(parse((await run('', { output: 'yaml' })).stdout)).toMatchObject({ samples: [], summary: { samples: 0 } });
  });

  it('names where what is not in order begins', async () => {
    const { stdout } = await run(`${good}\n\n${bad}\n${extra}\n`, { quiet: true, output: 'name' });
    expect(stdout).toBe('-:3\n-:4\n');
  });

  it('is one JSON object', async () => {
    const { stdout } = await run(`${good}\n${bad}`, { output: 'json', files: ['-', '/no/such/file'] });
    expect(JSON.parse(stdout)).toEqual({
      samples: [
        {
          file: '-',
          line: 1,
          verdict: 'accepted',
          type: 'loyalty.purchase.completed.v1',
          reason: null,
          detail: null,
          causes: [],
          warnings: [],
        },
        {
          file: '-',
          line: 2,
          verdict: 'refused',
          type: null,
          reason: 'invalid',
          detail: 'data.total.minor: Too small: expected number to be >=0',
          causes: [],
          warnings: [],
        },
      ],
      summary: {
        samples: 2,
        accepted: 1,
        ignored: 0,
        refused: 1,
        warnings: 0,
        unreadable: [{ file: '/no/such/file', problem: 'no such file' }],
      },
    });
    expect(JSON.parse((await run('', { output: 'json' })).stdout)).toMatchObject({ samples: [] });
  });

  it('ends without a word when nobody reads it any more', async () => {
    const stdout = new FakeTarget(2);
    expect(await run(`${good}\n`.repeat(10), {}, stdout)).toMatchObject({ code: 1, stderr: '' });
    expect(stdout.text).toMatch(/^-:1 .*\n-:2 /);
    expect(stdout.text).not.toContain('-:3');
  });
});

describe('files of lint', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'loyaltyd-lint-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const plant = async (name: string, text: string): Promise<string> => {
    const file = join(folder, name);
    await writeFile(file, text);
    return file;
  };

  it('go on behind one that cannot be read', async () => {
    const [first, empty, second] = await Promise.all([plant('a', good), plant('empty', ''), plant('b', `[${good}]`)]);
    const { code, stdout, stderr } = await run('', { files: [first, '/no/such/file', empty, second] });
    expect(code).toBe(1);
    expect(stdout).toContain(`${first}:1  accepted`);
    expect(stdout).toContain(`${second}:1  accepted`);
    expect(stderr).toBe(`loyaltyd lint: /no/such/file: no such file\nloyaltyd lint: ${empty}: holds no samples\n`);
  });

  it('are judged by the programs file', async () => {
    const programs = await plant('programs.yaml', PROGRAMS_FILE_EXAMPLE);
    expect((await run(good, { programs })).stdout).toContain('loyalty.purchase.completed.v1 -> transaction\n');
    const broken = await plant('broken.yaml', PROGRAMS_FILE_EXAMPLE.replace('currency: EUR', 'currency: euro'));
    expect(await run(good, { programs: broken })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^loyaltyd lint: .*broken\.yaml: programs\.coffee-club\.currency: /) as string,
    });
  });
});
