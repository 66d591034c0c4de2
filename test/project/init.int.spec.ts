import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';

import { readEnvironment } from '#contracts';

import { chartFolder, describeWithHelm, runHelm } from '../chart/helm.js';
import { projectRoot } from './planted-tree.js';

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
}

const json = (path: string): object => JSON.parse(readFileSync(join(projectRoot, path), 'utf8')) as object;
const own = ['--partner', 'own', '--base-url', 'https://partner.example/brands', '--auth-url', 'https://auth.example'];
const secrets = { WALLET_CLIENT_SECRET: 'of-the-partner', DATABASE_URL: 'postgres://shop:pw@db.example/loyalty' };

describe('what `loyaltyd init` writes', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'loyaltyd-init-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const text = (name: string): string => readFileSync(join(folder, 'house', name), 'utf8');

  const init = (words: readonly string[]): void => {
    const command = [join(projectRoot, 'apps/cli/bin/loyaltyd.js'), 'init', join(folder, 'house'), '--yes', ...words];
    execFileSync(process.execPath, command, { env: { ...process.env, NODE_OPTIONS: '', ...secrets }, stdio: 'pipe' });
  };

  /** As Compose puts the second file over the first, with the variables of the env file. */
  const daemonEnvironment = (): Record<string, string> => {
    const base = parse(readFileSync(join(projectRoot, 'docker-compose.yml'), 'utf8'), { merge: true }) as ComposeFile;
    const over = parse(text('compose.yaml')) as ComposeFile;
    const variables = parseEnv(text('secrets.env'));
    const merged = { ...base.services['daemon']?.environment, ...over.services['daemon']?.environment };
    const filled = (value: unknown): string =>
      String(value).replaceAll(/\$\{(\w+):\?\}/g, (_all, name: string) => variables[name] ?? '');
    return Object.fromEntries(Object.entries(merged).map(([name, value]) => [name, filled(value)]));
  };

  it.each([
    ['the sandbox', [], ['kafka', 'wallet-sandbox', 'daemon']],
    ['a partner of one’s own', [...own, '--client-id', 'shop'], ['kafka', 'daemon']],
  ])('for Compose with %s is valid by its specification, and starts the daemon', (_whom, words, services) => {
    init(words);
    const validate = new Ajv2020({ strict: false, allErrors: true }).compile(
      json('test/project/compose-spec/compose-spec.json'),
    );
    const compose = parse(text('compose.yaml')) as ComposeFile;
    validate(compose);
    expect(validate.errors).toBeNull();
    expect(Object.keys(compose.services)).toEqual(services);
    expect(compose.services['kafka']?.environment).toEqual({ LOYALTYD_TOPICS: 'shop.customers shop.orders' });
    const read = readEnvironment(daemonEnvironment(), { readFile: () => '' });
    expect(read.ok ? [] : read.errors).toEqual([]);
    expect(read.ok && read.value.wallet?.clientSecret.value).toBe(words.length === 0 ? 'sandbox' : 'of-the-partner');
    const mounted = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes);
    for (const mount of mounted) expect(readFileSync(mount.split(':')[0] ?? '', 'utf8')).not.toBe('');
  });

  const helm = ['--target', 'helm', '--brokers', 'kafka.example:9093', ...own.slice(2), '--client-id', 'shop'];

  it('for Helm is valid by the schema of the chart’s values', () => {
    init(helm);
    const validate = new Ajv({ strict: false, allErrors: true }).compile(
      json('deploy/helm/loyaltyd/values.schema.json'),
    );
    const values = parse(readFileSync(join(chartFolder, 'values.yaml'), 'utf8')) as object;
    validate({ ...values, ...(parse(text('values.yaml')) as object), programs: { text: text('loyaltyd.yaml') } });
    expect(validate.errors).toBeNull();
  });

  describeWithHelm('with Helm itself', () => {
    it('is rendered', () => {
      init(helm);
      const file = (name: string): string => join(folder, 'house', name);
      const words = [
        '--set-file',
        `programs.text=${file('loyaltyd.yaml')}`,
        '--set-file',
        `dialect.text=${file('dialect.yaml')}`,
      ];
      const rendered = runHelm([
        'template',
        'loyaltyd',
        chartFolder,
        '--kube-version',
        '1.31.0',
        '--values',
        file('values.yaml'),
        ...words,
      ]);
      expect(rendered).toContain('kafka.example:9093');
    });
  });
});
