import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

import { parseProgramsFile, readEnvironment } from '#contracts';
import { parseDialect } from '#gateway';
import { parse } from 'yaml';

import { fakeTerminal, type FakeTerminalOptions } from '../client/testing/fake-api.js';
import { runCommandLine } from '../command-line/program.js';
import { questions } from './questions.js';

describe('loyaltyd init', () => {
  let parent: string;
  let folder: string;

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'loyaltyd-init-'));
    folder = join(parent, 'house');
  });

  afterEach(() => rm(parent, { recursive: true }));

  const init = async (words: readonly string[], options: FakeTerminalOptions = {}) => {
    const terminal = fakeTerminal(options);
    const code = await runCommandLine(['init', folder, ...words], terminal);
    return { code, out: terminal.stdout(), errors: terminal.stderr() };
  };

  const text = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const settings = (): Record<string, string | undefined> => ({
    ...parseEnv(text('loyaltyd.env')),
    ...parseEnv(text('secrets.env')),
  });
  const files = (): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .toSorted();

  it.each([
    ['compose', [], {}],
    ['none', ['--brokers', 'kafka.example:9093'], {}],
    [
      'helm',
      [
        ...['--brokers', 'kafka.example:9093', '--client-id', 'shop', '--environment', 'production'],
        ...['--base-url', 'https://partner.example/brands', '--auth-url', 'https://auth.partner.example'],
      ],
      { WALLET_CLIENT_SECRET: 'of-the-partner', DATABASE_URL: 'postgres://shop:pw@db.example/loyalty' },
    ],
  ])('for %s writes files that the daemon accepts, without asking where --yes is given', async (target, words, env) => {
    expect(await init(['--yes', '--target', target, ...words], { env })).toMatchObject({ code: 0, errors: '' });
    expect(parseProgramsFile(text('loyaltyd.yaml'))).toMatchObject({
      ok: true,
      value: { programs: { main: { brandId: '101' } }, sources: { customers: {}, orders: {} } },
    });
    parseDialect('dialect.yaml', (parse(text('dialect.yaml')) as Record<string, unknown> | null) ?? {});
    const read = readEnvironment(settings(), { readFile: (path) => readFileSync(path, 'utf8') });
    expect(read.ok ? [] : read.errors).toEqual([]);
    expect(read.ok && read.value.wallet?.environment).toBe(target === 'helm' ? 'production' : 'sandbox');
  });

  it('makes secrets afresh, for their owner alone, and shows none of them', async () => {
    const { out } = await init(['--yes']);
    const first = settings();
    const token = text('operator-token').trim();
    expect(first['OPS_TOKENS']).toBe(`me:admin:${createHash('sha256').update(token).digest('hex')}`);
    expect(Buffer.from(first['LOYALTYD_ENCRYPTION_KEY'] ?? '', 'base64')).toHaveLength(32);
    for (const name of ['secrets.env', 'operator-token']) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(text('.gitignore')).toBe('secrets.env\noperator-token\n');
    for (const secret of [token, first['LOYALTYD_ENCRYPTION_KEY'] ?? '']) expect(out).not.toContain(secret);
    folder = join(parent, 'another');
    await init(['--yes']);
    expect(settings()['LOYALTYD_ENCRYPTION_KEY']).not.toBe(first['LOYALTYD_ENCRYPTION_KEY']);
  });

  it('writes over nothing unless told to, and over secrets never', async () => {
    await init(['--yes']);
    const before = settings();
    await writeFile(join(folder, 'loyaltyd.yaml'), 'mine');
    expect(await init(['--yes'])).toMatchObject({
      code: 2,
      errors: expect.stringMatching(/has loyaltyd\.yaml, .*--force/) as unknown,
    });
    expect(text('loyaltyd.yaml')).toBe('mine');
    expect(await init(['--yes', '--force'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('secrets.env  (kept') as unknown,
    });
    expect(parseProgramsFile(text('loyaltyd.yaml'))).toMatchObject({ ok: true });
    expect(settings()).toEqual(before);
  });

  it('asks what no flag says, again until it is right, and writes when the person agrees', async () => {
    const words = questions.map(({ name }) => name);
    const answers = new Map<string, readonly string[]>([
      ['target', ['none']],
      ['program', ['my club', 'club']],
      ['currency', ['euro', 'USD']],
      ['customersTopic', ['none']],
      ['ordersTopic', ['/a.*/', 'till']],
      ['partner', ['own']],
      ['baseUrl', ['', 'http://partner.example/brands', 'https://partner.example', 'https://partner.example/brands']],
      ['authUrl', ['https://auth.partner.example']],
      ['clientId', ['club']],
      ['clientSecret', ['of the partner', 'of-the-partner']],
    ]);
    const asked = words.filter((name) => name !== 'image' && name !== 'brandId');
    const typed = [...asked.flatMap((name) => answers.get(name) ?? ['']), 'y'];
    const { code, out, errors } = await init(['--brand-id', '7'], { answers: typed });
    expect({ code, errors: errors.split('\n').filter((line) => line.startsWith('  ')) }).toEqual({
      code: 0,
      errors: [
        expect.stringContaining('must be an id'),
        expect.stringContaining('ISO 4217'),
        expect.stringContaining('name of a Kafka topic'),
        '  required',
        expect.stringContaining('must be https'),
        expect.stringContaining('must end with /brands'),
        expect.stringContaining('a character that the env file cannot'),
      ],
    });
    expect(parseProgramsFile(text('loyaltyd.yaml'))).toMatchObject({
      ok: true,
      value: {
        programs: { club: { brandId: '7', currency: 'USD' } },
        sources: { orders: { topics: ['till'], programs: ['club'] } },
      },
    });
    expect(settings()).toMatchObject({ WALLET_CLIENT_ID: 'club', WALLET_CLIENT_SECRET: 'of-the-partner' });
    expect(out).not.toContain('of-the-partner');
    expect(files()).toEqual(
      [
        ...['.gitignore', 'dialect.yaml', 'loyaltyd.env', 'loyaltyd.yaml', 'operator-token', 'paid.json'],
        ...['refunded.json', 'secrets.env'],
      ].toSorted(),
    );
  });

  it('writes nothing where the person does not agree, or answers nothing more', async () => {
    expect(await init([], { answers: questions.map(() => '') })).toMatchObject({ code: 1 });
    expect(existsSync(folder)).toBe(false);
  });

  it.each([
    [['--yes', '--currency', 'euro', '--orders-topic', '/x/'], /--currency: .*\n.*--orders-topic: /],
    [['--yes', '--partner', 'own'], /--base-url: required/],
    [['--yes', '--target', 'helm'], /--brokers: required/],
    [[], /nobody can be asked here/],
  ])('refuses %j as wrong usage, and writes nothing', async (words, problem) => {
    expect(await init(words)).toMatchObject({ code: 2, errors: expect.stringMatching(problem) as unknown });
    expect(existsSync(folder)).toBe(false);
  });

  it('refuses a folder whose path shells and Compose would misread', async () => {
    folder = join(parent, 'my house');
    expect(await init(['--yes'])).toMatchObject({
      code: 2,
      errors: expect.stringContaining('path of the folder') as unknown,
    });
  });
});
