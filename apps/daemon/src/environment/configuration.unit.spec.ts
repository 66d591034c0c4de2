import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Configuration } from './configuration.module.js';
import { LiveEnvironment } from './live-environment.js';

const kafka = { KAFKA_BROKERS: 'k:1' };
const partner = {
  WALLET_BASE_URL: 'https://partner.example/brands',
  WALLET_AUTH_URL: 'https://partner.example',
  WALLET_CLIENT_ID: 'id',
  WALLET_CLIENT_SECRET: 'secret',
  WALLET_SCOPE: 'admin',
};

describe('a programs file that only the dialect allows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'loyaltyd-dialect-'));
  const pathOf = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it.each<readonly [string, Readonly<Record<string, string>>]>([
    ['ingest', kafka],
    ['delivery', { ...kafka, ...partner }],
    ['operations', { OPS_TOKENS: `ann:admin:${'a'.repeat(64)}` }],
  ])('is accepted by %s', async (role, own) => {
    const opened = LiveEnvironment.open({
      LOYALTYD_ROLES: role,
      LOYALTYD_ENCRYPTION_KEY: Buffer.from([...Array(32).keys()]).toString('base64'),
      LOYALTYD_PROGRAMS: pathOf(
        'programs.yaml',
        'programs: { tea: { brandId: 1, programId: 2, update: { via: schedule } } }',
      ),
      DATABASE_URL: 'postgres://one@db/x',
      ALLOW_CLEARTEXT: 'postgres,kafka',
      WALLET_DIALECT: pathOf('dialect.yaml', 'schedule: { changeProperty: update }'),
      ...own,
    });
    if (!opened.ok) throw new Error(opened.errors.join());
    const { programs } = await Configuration.open(opened.live);
    expect(programs.current.file.programs['tea']?.update).toMatchObject({ via: 'schedule' });
  });
});
