import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { projectRoot } from './planted-tree.js';

const advisory = (severity: string): object => ({
  zod: [{ id: 1, url: 'https://advisories.example/1', title: 'A hole', severity, vulnerable_versions: '*', cwe: [] }],
});

/** npm takes a second, and a loaded machine its time. */
const auditMs = 180_000;

describe('.ci/audit.js', () => {
  let registry: Server;
  /** What it knows; null: it answers no audits. */
  let known: object | null;
  let cache: string;

  // npm remembers what it made of an advisory.
  beforeEach(async () => {
    cache = await mkdtemp(join(tmpdir(), 'loyaltyd-audit-'));
  });

  afterEach(() => rm(cache, { recursive: true }));

  beforeAll(async () => {
    registry = createServer((request, response) => {
      const isAsked = request.url === '/-/npm/v1/security/advisories/bulk' && known !== null;
      response.writeHead(isAsked ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isAsked ? known : { error: 'not found' }));
    });
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  });

  afterAll(async () => {
    registry.closeAllConnections();
    await new Promise((resolve) => registry.close(resolve));
  });

  const audit = (port: number): Promise<{ readonly code: number; readonly said: string }> =>
    new Promise((resolve) => {
      const env = {
        ...process.env,
        npm_config_registry: `http://127.0.0.1:${port}/`,
        npm_config_cache: cache,
        npm_config_fetch_retries: '0',
      };
      const options = { cwd: projectRoot, env, timeout: auditMs };
      execFile(process.execPath, [join(projectRoot, '.ci/audit.js')], options, (error, stdout) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, said: stdout });
      });
    });
  const portOf = (): number => (registry.address() as AddressInfo).port;

  it.each([
    ['critical', 1],
    ['high', 1],
    ['moderate', 0],
  ])(
    'a %s hole ends it with %i, and is told',
    async (severity, code) => {
      known = advisory(severity);
      const ended = await audit(portOf());
      expect(ended.code).toBe(code);
      expect(ended.said).toContain(`${severity}: zod: A hole https://advisories.example/1`);
    },
    auditMs,
  );

  it(
    'nothing known is well',
    async () => {
      known = {};
      expect(await audit(portOf())).toEqual({ code: 0, said: 'npm audit: 0 known holes in what runs\n' });
    },
    auditMs,
  );

  it(
    'a registry that answers no audits is no failure, and that is told',
    async () => {
      known = null;
      expect(await audit(portOf())).toEqual({ code: 0, said: expect.stringContaining('NOT ANSWERED') as string });
      expect((await audit(1)).said).toContain('NOT ANSWERED');
    },
    auditMs,
  );
});
