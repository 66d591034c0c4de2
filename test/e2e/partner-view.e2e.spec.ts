import { execFile } from 'node:child_process';

import type { AuditPage, IntentPage, PartnerView } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { programCommand, queryOnce } from '#test-support';

import { ApiClient, apiTokens, tokenOf } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { breakPartner, changePasses, losePasses } from './partner.js';
import type { Emission } from './traffic.js';
import { emission, enrolled, granted, produce } from './traffic.js';

const reason = 'before the call in doubt is settled';

const moved = (memberId: string): Emission =>
  emission('members', 'member.updated', { id: `u-${memberId}`, memberId, changed: ['tier'], tier: 'gold' });

/** Runs the command line as a person's script would. */
async function loyaltyd(
  daemon: RunningProcess,
  ...words: readonly string[]
): Promise<{ code: number; stdout: string }> {
  const { operations } = daemon.ready as unknown as { readonly operations: string };
  const env = { ...process.env, LOYALTYD_SERVER: operations, LOYALTYD_TOKEN: tokenOf('operator') };
  const { command, args, cwd } = programCommand('apps/cli/src/main.ts', ...words);
  return new Promise((resolve) => {
    execFile(command, [...args], { cwd, env }, (error, stdout) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout }),
    );
  });
}

describe('a member, as the partner sees it', () => {
  let harness: Harness;
  let daemon: RunningProcess;
  let operator: ApiClient;

  beforeAll(async () => {
    harness = await openHarness(
      programsFile.replace('inFlightMs: 2000', 'inFlightMs: 2000\n    onUnknown: { reward: park }'),
    );
    daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens });
    operator = new ApiClient(daemon, 'operator');
    await produce(harness.broker, harness.topics, ['m-1', 'm-2', 'm-3'].map(enrolled));
    await awaitIntents({ status: 'delivered' }, 3);
  });

  afterAll(async () => {
    await harness.close();
  });

  async function awaitIntents(query: Readonly<Record<string, string>>, count: number): Promise<void> {
    await waitUntil(
      async () => {
        const { body } = await operator.get(`/intents?${new URLSearchParams(query).toString()}`);
        return (body as IntentPage).items.length === count;
      },
      { what: `${count} intents ${JSON.stringify(query)}`, timeoutMs: 30_000 },
    );
  }

  async function look(memberId: string, about: Readonly<Record<string, string>> = {}): Promise<PartnerView> {
    const query = new URLSearchParams({ reason, ...about }).toString();
    const { status, body } = await operator.get(`/members/coffee-club/${memberId}/partner?${query}`);
    expect(status).toBe(200);
    return body as PartnerView;
  }

  it('is shown beside what we know, without a difference where there is none; who asked, and why, is kept', async () => {
    const { ours, partner, differences } = await look('m-1');
    expect(ours).toMatchObject({ passKnown: 'known', isAtRest: true, open: [] });
    expect(partner).toMatchObject({ result: 'found', code: null, status: 200, listed: null });
    expect(partner.pass).toMatchObject({ passId: ours.pass?.passId, passdata: { points: 0, metaData: 'object •••' } });
    expect(differences).toEqual([]);
    const { body } = await operator.get('/audit?action=member.partner');
    expect((body as AuditPage).items[0]).toMatchObject({
      ...{ actor: 'operator', reason },
      member: { program: 'coffee-club', memberId: 'm-1' },
    });
  });

  // Whoever has one has the card: they came with every answer that shows a pass.
  it('is shown without the addresses of the card, to whatever role and in whatever answer, and with them by one request alone', async () => {
    const address = /https?:[^"]*\/passes\//;
    const name = '/members/coffee-club/m-1';
    const paths = [name, `${name}/partner?reason=looked`, '/passes?program=coffee-club', '/intents?memberId=m-1'];
    const intent = '/intents/coffee-club~m-1~1';
    for (const role of ['viewer', 'operator', 'admin'] as const) {
      const client = new ApiClient(daemon, role);
      for (const path of [...paths, intent, '/audit', '/groups', '/stats']) {
        const { status, body } = await client.get(path);
        const isForbidden = role === 'viewer' && /partner|passes/.test(path);
        expect([path, status]).toEqual([path, isForbidden ? 403 : 200]);
        expect([path, address.test(JSON.stringify(body))]).toEqual([path, false]);
      }
    }
    expect((await new ApiClient(daemon, 'viewer').post(`${name}/card-links`, { reason })).status).toBe(403);
    const { status, body } = await operator.post(`${name}/card-links`, { reason });
    const link = expect.stringMatching(address) as string;
    expect([status, body]).toEqual([
      200,
      {
        ...{ program: 'coffee-club', memberId: 'm-1' },
        ...{ downloadUrl: link, downloadUrlApple: link, downloadUrlGoogle: link },
      },
    ]);
    const shown = await loyaltyd(daemon, 'get', 'card-links', 'coffee-club/m-1', '--reason', reason);
    expect([shown.code, address.test(shown.stdout)]).toEqual([0, true]);
    const audit = (await operator.get('/audit?action=member.card-links')).body as AuditPage;
    expect(audit.items.map((item) => [item.actor, item.reason, item.member?.memberId])).toEqual(
      Array.from({ length: 2 }, () => ['operator', reason, 'm-1']),
    );
  });

  it('is listed as the partner lists it, page by page, by its filters', async () => {
    interface Page {
      readonly items: readonly { readonly memberId: string; readonly pass: Readonly<Record<string, unknown>> }[];
      readonly nextCursor: string | null;
      readonly totalCount: number;
    }
    const page = async (query: Readonly<Record<string, string>>): Promise<Page> => {
      const answer = await operator.get(
        `/passes?${new URLSearchParams({ program: 'coffee-club', ...query }).toString()}`,
      );
      expect(answer.status).toBe(200);
      return answer.body as Page;
    };
    const first = await page({ limit: '2' });
    expect(first).toMatchObject({ totalCount: 3, nextCursor: expect.any(String) as string });
    expect(first.items[0]?.pass).toMatchObject({ statusCode: 'ACTIVE', passdata: { metaData: 'object •••' } });
    const second = await page({ limit: '2', cursor: first.nextCursor ?? '' });
    expect([...first.items, ...second.items].map(({ memberId }) => memberId).sort()).toEqual(['m-1', 'm-2', 'm-3']);
    expect(second.nextCursor).toBeNull();
    expect((await page({ tier: '2' })).items).toEqual([]);
    expect((await page({ updatedSince: '2099-01-01T00:00:00Z' })).items).toEqual([]);
    const words = ['get', 'passes', '-q', 'program=coffee-club status=ACTIVE', '-o', 'jsonl', '--limit', 'all'];
    const { stdout } = await loyaltyd(daemon, ...words);
    expect(stdout.trim().split('\n')).toHaveLength(3);
    expect((await operator.get('/passes?program=coffee-club&cursor=x')).status).toBe(400);
    expect((await operator.get('/passes?program=nobody')).status).toBe(400);
  });

  it('shows what the partner has otherwise', async () => {
    await changePasses(harness.sandboxDatabaseUrl, ['m-1']);
    const { differences } = await look('m-1');
    expect(differences).toEqual([{ path: 'passdata.points', ours: 0, partner: 4711 }]);
  });

  it('says whether what is in doubt is there', async () => {
    await breakPartner(harness.sandboxUrl, [{ operation: 'reward', kind: 'drop-after', sequence: [1] }]);
    await produce(harness.broker, harness.topics, [moved('m-2')]);
    await awaitIntents({ status: 'delivered', operation: 'update-via-workflow' }, 1);
    await produce(harness.broker, harness.topics, [granted('m-2', 'g-1')]);
    await awaitIntents({ status: 'parked' }, 1);
    const { ours, partner } = await look('m-2');
    expect(ours.open).toMatchObject([{ operation: 'reward', status: 'parked', wants: [] }]);
    expect(partner.pass).toMatchObject({ templateTierId: 2, passdata: { points: -10 } });
    // Nothing was read before a reward that is to park: the figures are shown, and prove nothing.
    expect(ours.open[0]?.proof).toEqual({
      ...{ verdict: 'nothing', evidence: null, why: 'not-read-before' },
      points: { before: null, now: -10, delta: -10 },
    });
    const doubt = ours.open[0]?.intent ?? '';
    expect((await look('m-2', { intent: doubt })).ours.open.map(({ intent }) => intent)).toEqual([doubt]);
    const ofAnother = new URLSearchParams({ intent: doubt }).toString();
    expect((await operator.get(`/members/coffee-club/m-1/partner?${ofAnother}`)).status).toBe(404);
    const shown = await loyaltyd(daemon, 'get', 'pass', 'coffee-club/m-2', '--reason', reason);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/Partner says: +found/);
    expect(shown.stdout).toMatch(/Points: +-10/);
    expect(shown.stdout).toMatch(/parked +\(reward\).* nothing: not-read-before/);
  });

  it('says that there is no pass, by the lookup and by the listing', async () => {
    await losePasses(harness.sandboxDatabaseUrl, ['m-3']);
    const { ours, partner } = await look('m-3');
    expect(partner).toMatchObject({ result: 'absent', status: 400, listed: 0, pass: null });
    expect(ours.pass).not.toBeNull();
  });

  it('is not asked for while somebody has paused the program, nor for whom we do not know, nor by a viewer', async () => {
    const pause = { program: 'coffee-club', reason };
    expect((await operator.post('/pauses', pause)).status).toBe(200);
    expect(await operator.get('/members/coffee-club/m-1/partner')).toMatchObject({
      status: 409,
      body: { type: 'urn:loyaltyd:problem:program-paused' },
    });
    expect((await operator.delete('/pauses', pause)).status).toBe(200);
    expect((await operator.get('/members/coffee-club/nobody/partner')).status).toBe(404);
    expect((await new ApiClient(daemon, 'viewer').get('/members/coffee-club/m-1/partner')).status).toBe(403);
  });

  it('waits while the partner wants rest, and says how long where that is too long', async () => {
    await queryOnce(
      harness.database.url,
      `INSERT INTO program_gate AS g (program_id, rest_until) VALUES ('coffee-club', now() + interval '1 minute')
       ON CONFLICT (program_id) DO UPDATE SET rest_until = EXCLUDED.rest_until`,
    );
    const refused = await operator.get('/members/coffee-club/m-1/partner');
    expect(refused).toMatchObject({ status: 503, body: { type: 'urn:loyaltyd:problem:partner-resting' } });
    await queryOnce(harness.database.url, `UPDATE program_gate SET rest_until = now() + interval '1 second'`);
    expect((await look('m-1')).partner.result).toBe('found');
  });
});
