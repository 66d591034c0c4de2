import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { waitUntil } from '#embedded';
import { queryOnce } from '#test-support';

import { ApiClient } from './api-client.js';
import { PlantedHarness } from './planted/planted-harness.js';
import { badRecords, enrolledWithAll, goodRecords } from './planted/planted-partner.js';
import type { Shown } from './planted/planted-values.js';
import { cardAddresses, findPlanted, memberId, memberPrefix, personal, secrets } from './planted/planted-values.js';
import { produce } from './traffic.js';

const members = { memberId: memberPrefix };
const { email, firstName, phone } = personal;
const intent = `/intents/coffee-club~${memberId('refused')}~1`;

/** What happened to whom: enough of it that every kind of outcome is in it. */
async function endings(url: string): Promise<Set<string>> {
  const rows = await queryOnce<{ ending: string }>(
    url,
    `SELECT concat_ws(' ', coalesce(i.purchase_id, m.member_id), e.type, e.data->>'code', e.data->>'reason') AS ending
     FROM intent_history e JOIN intent i USING (lane_id, seq) JOIN member m USING (lane_id)
     UNION ALL SELECT 'quarantine ' || reason FROM quarantine
     UNION ALL SELECT 'database' FROM quarantine WHERE detail LIKE '%23514%'`,
  );
  return new Set(rows.map(({ ending }) => ending));
}

const expectedEndings = [
  'P-fine AttemptApplied',
  'P-refused AttemptRejected refused',
  'P-broken AttemptUnknown http-500',
  'P-moved AttemptUnknown http-302',
  'P-timeout AttemptUnknown timeout',
  `${memberId('refused')} IntentParked rejected`,
  `${memberId('timeout')} VerifiedApplied`,
  'quarantine unreadable',
  'quarantine invalid',
  'quarantine unsupported-type',
  'quarantine unknown-program',
  'quarantine unroutable',
  'quarantine conflict',
  'database',
];

describe('secrets and personal values', () => {
  let planted: PlantedHarness;
  const url = (): string => planted.harness.database.url;

  beforeAll(async () => {
    planted = await PlantedHarness.open();
    const { harness, daemons } = planted;
    await produce(harness.broker, harness.topics, [...goodRecords(), ...badRecords()]);
    await everythingHasHappened();
    await askTheApi();
    await throwSomething();
    await startWrongly();
    await breakThePrograms();
    await produce(harness.broker, harness.topics, [enrolledWithAll('last')]);
    await happened(`${memberId('last')} AttemptApplied`);
    await waitUntil(() => planted.receiver.text.includes('loyaltyd.outcome') || undefined, {
      what: 'spans',
      timeoutMs: 60_000,
    });
    expect(daemons.ingest.stderr()).toContain('a chunk could not be recorded');
    expect(daemons.delivery.stderr()).toContain('delivery will try again');
  });

  afterAll(async () => {
    await planted.close();
  });

  async function happened(...what: readonly string[]): Promise<void> {
    await waitUntil(
      async () => {
        const seen = [...(await endings(url()))];
        return what.every((start) => seen.some((ending) => ending.startsWith(start))) || undefined;
      },
      { what: what.join(', '), timeoutMs: 60_000, intervalMs: 100 },
    ).catch(async (error: unknown) => {
      throw new Error(`happened so far: ${[...(await endings(url()))].join('; ')}`, { cause: error });
    });
  }

  const everythingHasHappened = (): Promise<void> => happened(...expectedEndings);

  /** Personal values on their way in and out through the operations API, and requests that it refuses. */
  async function askTheApi(): Promise<void> {
    const admin = new ApiClient(planted.daemons.operations, 'admin');
    const base = String(planted.daemons.operations.ready['operations']);
    const patch = { content: { message: `${personal.message}, and ${firstName}`, person: { phone: `${phone}0` } } };
    expect(await admin.post(`${intent}/correct`, { reason: 'she told us', patch })).toMatchObject({ status: 200 });
    expect(await admin.post(`${intent}/replay`, { reason: 'now' })).toMatchObject({ status: 200 });
    const member = `/members/coffee-club/${memberId('ok')}`;
    expect(await admin.post(`${member}/unmask`, { reason: 'she asked' })).toMatchObject({ status: 200 });
    const wrong = [
      ['GET', `/api/v1/intents?memberId=${memberId('ok')}&q=${email}`, secrets.wrongToken],
      ['GET', `/api/v1/nothing/${email}?phone=${phone}`, secrets.opsToken],
      ['POST', `/api/v1${intent}/correct`, secrets.opsToken],
    ] as const;
    for (const [method, path, token] of wrong) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const body = method === 'POST' ? { body: `{"reason": "${email}", "patch": {${firstName}` } : {};
      const { status } = await fetch(`${base}${path}`, { method, headers, ...body });
      expect(status).toBeGreaterThanOrEqual(400);
    }
    await happened(`${memberId('refused')} AttemptApplied`);
  }

  /** A programs file that says something personal where it is wrong. */
  async function breakThePrograms(): Promise<void> {
    const { harness, daemons } = planted;
    const refusals = (): number => daemons.operations.stderr().split('programs file not taken over').length - 1;
    const wrong = [
      `programs:\n  coffee-club: {brandId: 1, programId: 2, currency: ${email}, enrolment: {via: "${firstName}"}, tiers: {a: "${phone}"}}\n`,
      `programs:\n  ${email}: [${firstName}, *${secrets.clientSecret}\n`,
      `programs: !${secrets.token}\n  a: "${firstName}" "${email}"\n`,
    ];
    for (const text of wrong) {
      const before = refusals();
      await harness.writePrograms(text);
      daemons.operations.kill('SIGHUP');
      await waitUntil(() => refusals() > before || undefined, { what: 'the refusal', timeoutMs: 60_000 });
    }
  }

  /** What nobody catches is not printed as Node would print it. */
  async function throwSomething(): Promise<void> {
    const hook = `process.on('newListener', (name) => { if (name === 'SIGHUP') throwSoon(); });
      const throwSoon = () => setTimeout(() => { throw new Error(${JSON.stringify(`${firstName} ${email}`)}); }, 1);`;
    // As a file: frames of the stack name where code comes from.
    const path = join(await mkdtemp(join(tmpdir(), 'loyaltyd-planted-')), 'throw-soon.mjs');
    await writeFile(path, hook);
    const options = { NODE_OPTIONS: `--import ${path}` };
    await planted.runBriefly({ ...options, LOYALTYD_ROLES: 'operations' }, /a defect of ours/);
    await rm(dirname(path), { recursive: true });
  }

  async function startWrongly(): Promise<void> {
    const away = { DATABASE_URL: `postgres://u:${secrets.databasePassword}@127.0.0.1:9/d` };
    await planted.runBriefly({ ...away, LOYALTYD_ROLES: 'ingest' }, /the database cannot be used yet/);
    const wrapped = {
      LOYALTYD_ENCRYPTION_KEY: `vault:v1:${secrets.encryptionKey}`,
      VAULT_ADDR: 'http://127.0.0.1:9',
      VAULT_TRANSIT_KEY_NAME: 'loyaltyd',
      VAULT_TOKEN: secrets.vaultToken,
    };
    await planted.runBriefly({ ...wrapped, LOYALTYD_ROLES: 'ingest' }, /the key service cannot be used yet/);
    const wrong = {
      DATABASE_URL: `mysql://u:${secrets.databasePassword}@h/d`,
      WALLET_BASE_URL: `https://u:${secrets.clientSecret}@h/brands`,
      LOYALTYD_ENCRYPTION_KEY: `${secrets.encryptionKey}x`,
      VAULT_ADDR: `https://u:${secrets.vaultToken}@h`,
      VAULT_TRANSIT_KEY_NAME: secrets.vaultToken,
      VAULT_TOKEN: `${secrets.vaultToken} x`,
      OPS_TOKENS: `x:root:${secrets.opsToken}`,
      HTTPS_PROXY: `proxy:${secrets.proxyPassword}`,
      OTEL_EXPORTER_OTLP_HEADERS: secrets.otlpKey,
    };
    await planted.runBriefly(wrong, /OTEL_EXPORTER_OTLP_HEADERS/);
  }

  it('are in no log line, no metric and no span, at any level, whatever happens; nor are member ids', async () => {
    const shown = await planted.showTelemetry();
    expect(shown.map(({ text }) => text.length > 100)).toEqual(shown.map(() => true));
    expect(findPlanted(shown, { ...secrets, ...personal, ...cardAddresses, ...members })).toEqual([]);
  });

  it('are in no table in the clear; member ids are in the table of members alone', async () => {
    const shown = await planted.showTables();
    expect(shown.map(({ where }) => where)).toEqual(
      expect.arrayContaining(['table intent', 'table quarantine', 'table operator_action', 'table dedup']),
    );
    expect(findPlanted(shown, { ...secrets, ...personal, ...cardAddresses })).toEqual([]);
    expect(findPlanted(shown, members)).toEqual(['table member: memberId']);
  });

  it('are in no topic that others read', async () => {
    const shown = await planted.showTopics();
    expect(findPlanted(shown, { ...secrets, ...personal })).toEqual([]);
  });

  it('are in nothing that a viewer is shown, under whatever name: records, intents, previews and exports', async () => {
    const viewer = new ApiClient(planted.daemons.operations, 'viewer');
    const operator = new ApiClient(planted.daemons.operations, 'operator');
    const show = async (path: string, client = viewer): Promise<Shown> => {
      const { status, body } = await client.get(path);
      expect([path, status]).toEqual([path, 200]);
      return { where: path, text: JSON.stringify(body) };
    };
    const idsIn = ({ text }: Shown): string[] =>
      (JSON.parse(text) as { readonly items: readonly { readonly id: string | number }[] }).items.map(
        ({ id }) => `${id}`,
      );
    const order = { reason: 'looked at' };
    await operator.post('/jobs', { kind: 'replay', ...order, id: 'planned', query: 'status=parked', dryRun: true });
    await operator.post('/jobs', { kind: 'export', ...order, id: 'planted' });
    const lines = '/jobs/planted/lines?limit=2000';
    const isFrozen = async (): Promise<boolean> => (await viewer.get(lines)).status === 200;
    await waitUntil(isFrozen, { what: 'the export', timeoutMs: 60_000, intervalMs: 100 });
    const [intents, records] = [await show('/intents?limit=200'), await show('/quarantine?limit=200')];
    const paths = [
      ...idsIn(intents).map((id) => `/intents/${id}`),
      ...idsIn(records).map((id) => `/quarantine/${id}`),
      ...['/groups', '/audit', '/stats', '/doctor', `/members/coffee-club/${memberId('ok')}`],
      ...['/jobs', '/jobs/planned/items?requests=true', lines],
    ];
    expect(paths.length).toBeGreaterThan(30);
    const partner = `/members/coffee-club/${memberId('ok')}/partner?reason=looked`;
    const shown = [
      intents,
      records,
      await show(partner, operator),
      ...(await Promise.all(paths.map((path) => show(path)))),
    ];
    expect(shown.at(-1)?.text).toContain('AttemptRejected');
    expect(findPlanted(shown, { ...secrets, ...personal, ...cardAddresses })).toEqual([]);
    const kept = await operator.post(`/members/coffee-club/${memberId('ok')}/card-links`, {
      reason: 'she has lost it',
    });
    const given = { where: 'card-links', text: JSON.stringify(kept.body) };
    expect(findPlanted([given], { ...secrets, ...personal, ...cardAddresses })).toEqual(['card-links: cardAddress']);
  });

  it('would be found: one leak in each place turns this red', async () => {
    const leak = `console.log(JSON.stringify({ level: 'trace', chunk: Buffer.from('<${email}>').toJSON() }))`;
    await planted.show(spawn(process.execPath, ['-e', leak]), /trace/);
    const spans = [
      { traceId: '1', spanId: '2', name: firstName, kind: 1, startTimeUnixNano: '0', endTimeUnixNano: '0' },
    ];
    const exported = { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans }] }] };
    const body = JSON.stringify(exported);
    await fetch(`${planted.receiver.endpoint}/v1/traces`, { method: 'POST', body });
    const { ownerUrl } = planted.harness.database;
    await queryOnce(ownerUrl, `UPDATE quarantine SET detail = '${phone}', sealed_key = '${memberId('x')}'::bytea`);

    const telemetry = findPlanted(await planted.showTelemetry(), { ...secrets, ...personal });
    expect(telemetry).toEqual([expect.stringMatching(/^output \d+: email$/), 'spans: firstName']);
    const tables = findPlanted(await planted.showTables(), { ...personal, ...members });
    expect(tables).toEqual(['table member: memberId', 'table quarantine: phone', 'table quarantine: memberId']);
  });
});
