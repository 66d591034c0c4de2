import type { ApprovalView } from '#contracts';

import type { FakeApi, FakeTerminalOptions, Run, Script } from '../testing/fake-api.js';
import { problem, runAgainst, startFakeApi } from '../testing/fake-api.js';

const digest = 'ab'.repeat(32);
const proposal: ApprovalView = {
  ...{ id: 'a-1', kind: 'erasure', program: 'coffee-club', target: '/erasures/e-1', digest, state: 'proposed' },
  request: { memberId: 'm-1\u001b[31m' },
  ...{ reason: 'request of 21 November', askedBy: 'ann', askedAt: '2026-11-21T10:00:00.000Z' },
  ...{ until: '2026-11-21T11:00:00.000Z', settledAt: null, settledBy: null, settledReason: null },
};
const settled = { settledBy: 'bob', settledReason: 'seen', settledAt: '2026-11-21T10:10:00.000Z' };

describe('what takes a second person, by command', () => {
  let api: FakeApi;

  beforeAll(async () => {
    api = await startFakeApi();
  });

  afterAll(() => api.close());

  const run = (words: readonly string[], script: Script, options: FakeTerminalOptions = {}): Promise<Run> =>
    runAgainst(api, words, { script, ...options });
  const sent = (): unknown[] => api.requests.filter(({ call }) => call.startsWith('POST')).map(({ body }) => body);

  const script: Script = {
    'GET /approvals': () => ({ body: { items: [proposal] } }),
    'GET /approvals/a-1': () => ({ body: proposal }),
    'POST /approvals/a-1/approve': () => ({ body: { ...proposal, ...settled, state: 'approved' } }),
    'POST /approvals/a-1/refuse': () => ({ body: { ...proposal, ...settled, state: 'refused' } }),
  };

  it.each([
    [['erase', 'member', 'coffee-club/m-1'], 'POST /erasures'],
    [['replay', 'intents', '-q', 'status=parked', '--force', '--yes'], 'POST /replays'],
    [['replay', 'intent', 'coffee-club~m~1', '--force'], 'POST /intents/coffee-club~m~1/replay'],
  ])('is not done: %j says what is needed, and ends with 7', async (words, call) => {
    const waits: Script = { [call]: () => ({ status: 202, body: proposal }) };
    expect(await run([...words, '--reason', 'it is mended', '-o', 'json'], waits)).toEqual({
      ...{ code: 7, stdout: '' },
      stderr:
        'loyaltyd: nothing is done yet: another admin must say, before 2026-11-21T11:00:00.000Z: loyaltyd approve a-1 (it is about /erasures/e-1)\n',
    });
  });

  it('is listed and described', async () => {
    const { stdout } = await run(['get', 'approvals'], script);
    expect(stdout).toMatch(/a-1 +proposed +erasure +coffee-club +\/erasures\/e-1 +ann/);
    expect(await run(['get', 'approvals', '-o', 'name'], script)).toMatchObject({ code: 0, stdout: 'a-1\n' });
    const described = await run(['describe', 'approval', 'a-1'], script);
    expect(described.stdout).toMatch(new RegExp(`Digest: +${digest}`));
    expect(described.stdout).not.toContain('\u001b');
  });

  it('is shown, asked for, and approved as it was shown', async () => {
    const approved = await run(['approve', 'a-1', '--reason', 'seen'], script, { answers: ['y'] });
    expect(approved).toMatchObject({ code: 0, stderr: expect.stringContaining('m-1\\u001b[31m') as string });
    expect(approved.stdout).toContain('2026-11-21T10:10:00.000Z');
    expect(sent()).toEqual([{ digest, reason: 'seen' }]);
    expect(await run(['approve', 'a-1'], script, { answers: ['n'] })).toMatchObject({ code: 1 });
    expect(sent()).toEqual([]);
  });

  it('is not approved where nobody is there to look at it, unless it is said so', async () => {
    expect(await run(['approve', 'a-1'], script)).toMatchObject({ code: 2, stdout: '' });
    expect(api.requests).toEqual([]);
    expect(await run(['approve', 'a-1', '--yes', '-o', 'name'], script)).toMatchObject({ code: 0, stdout: 'a-1\n' });
    const own: Script = { ...script, 'POST /approvals/a-1/approve': () => problem(403, 'own-request') };
    expect(await run(['approve', 'a-1', '--yes'], own)).toMatchObject({ code: 5 });
  });

  it('is refused with a reason', async () => {
    expect(await run(['refuse', 'a-1'], script)).toMatchObject({ code: 2 });
    expect(await run(['refuse', 'a-1', '--reason', 'not theirs'], script)).toMatchObject({ code: 0 });
    expect(sent()).toEqual([{ reason: 'not theirs' }]);
  });
});
