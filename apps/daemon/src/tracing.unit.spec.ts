import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { LiveEnvironment } from './environment/live-environment.js';
import { currentHeaders } from './tracing.js';

describe('the headers of an export', () => {
  const folder = mkdtempSync(join(tmpdir(), 'loyaltyd-headers-'));
  const path = join(folder, 'headers');

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('are those in force of the file that is followed, which an export does not read itself', async () => {
    const write = (text: string): void => {
      writeFileSync(path, text);
    };
    write('api-key=a%20b\n');
    const opened = LiveEnvironment.open({
      LOYALTYD_ROLES: 'operations',
      DATABASE_URL: 'postgres://one@localhost/x',
      LOYALTYD_ENCRYPTION_KEY: Buffer.from([...Array(32).keys()]).toString('base64'),
      OPS_TOKENS: `ann:admin:${'a'.repeat(64)}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel:4318',
      OTEL_EXPORTER_OTLP_HEADERS_FILE: path,
    });
    if (!opened.ok) throw new Error(opened.errors.join());
    const { live } = opened;
    expect(currentHeaders(live)).toEqual({ 'api-key': 'a b' });
    write('api-key=second');
    expect(currentHeaders(live)).toEqual({ 'api-key': 'a b' });
    await live.look();
    await live.look();
    expect(currentHeaders(live)).toEqual({ 'api-key': 'second' });
    write('no pair');
    await live.look();
    expect((await live.look())?.broken.size).toBe(1);
    expect(currentHeaders(live)).toEqual({ 'api-key': 'second' });
  });
});
