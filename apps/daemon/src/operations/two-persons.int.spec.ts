import type { ApiSettings } from '#operations';

import type { Answer, Caller } from './testing/operators-door.js';
import { OperatorsDoor } from './testing/operators-door.js';
import { broken, changed, completed, enrolled, own, sent } from './testing/sent-events.js';

let door: OperatorsDoor;

const open = async (twoPersons: ApiSettings['twoPersons']): Promise<void> => {
  door = await OperatorsDoor.open({ changed: { twoPersons }, limits: { coffee: ['coffee-club'] } });
  for (const name of [enrolled, completed] as const) await door.ingest(sent(own(name)));
};

afterEach(() => door.close());

const jobsOf = async (path: string): Promise<readonly unknown[]> =>
  (await door.get(path))['items'] as readonly unknown[];
const approvals = (): Promise<readonly unknown[]> => jobsOf('/approvals');

/** The member of the newest intent. */
async function member(): Promise<{ readonly program: string; readonly memberId: string }> {
  const [{ program, memberId } = { program: '', memberId: '' }] = (await door.get('/intents?limit=1'))[
    'items'
  ] as readonly { program: string; memberId: string }[];
  return { program, memberId };
}

const personal = { id: 'e-1', includePersonal: true };

const approve = async (caller: Caller, { body: { id, digest } }: Answer): Promise<Answer> =>
  door.post(caller, `/approvals/${String(id)}/approve`, { digest });

describe('without the two-person rule', () => {
  beforeEach(() => open(null));

  it('one admin forces, exports with everything personal and erases, and nothing waits', async () => {
    expect(await door.post('admin', '/exports', personal)).toMatchObject({ status: 200, body: { state: 'waiting' } });
    for (let time = 0; time < 20; time += 1) {
      const erased = await door.post('admin', '/erasures', await member());
      expect(erased).toMatchObject({ status: 200, body: { state: 'waiting' } });
    }
    const { memberId } = await member();
    const path = `/intents/coffee-club~${memberId}~1`;
    expect(await door.post('admin', `${path}/replay`, { force: true })).toMatchObject({
      body: { type: 'urn:loyaltyd:problem:not-parked' },
    });
    expect(await door.post('admin', '/replays', { query: 'status=parked', force: true })).toMatchObject({
      body: { type: 'urn:loyaltyd:problem:nothing-to-replay' },
    });
    expect(await approvals()).toEqual([]);
  });
});

describe('with the two-person rule', () => {
  beforeEach(() => open({ erasuresMax: 0, windowMs: 3_600_000 }));

  it('one admin exports nothing personal and erases nobody: 202, and nothing is there', async () => {
    const asked = await door.post('admin', '/exports', personal);
    expect(asked).toMatchObject({
      status: 202,
      type: 'application/json; charset=utf-8',
      body: { state: 'proposed', kind: 'personal-export', target: '/exports/e-1', askedBy: 'the admin' },
    });
    expect(await door.post('admin', '/erasures', await member())).toMatchObject({ status: 202 });
    expect([await jobsOf('/exports'), await jobsOf('/erasures')]).toEqual([[], []]);
    expect(await approvals()).toHaveLength(2);
    expect(await approve('admin', asked)).toMatchObject({
      status: 403,
      body: { type: 'urn:loyaltyd:problem:own-request' },
    });
    for (const caller of ['viewer', 'operator'] as const) {
      expect(await approve(caller, asked)).toMatchObject({ status: 403, body: { type: 'urn:loyaltyd:problem:role' } });
    }
    expect(await jobsOf('/exports')).toEqual([]);
    expect(await approve('other admin', asked)).toMatchObject({ status: 200, body: { state: 'approved' } });
    expect(await jobsOf('/exports')).toMatchObject([{ id: 'e-1', createdBy: 'the admin' }]);
    const { actor, action, detail } = await door.newestAction();
    expect([actor, action, detail]).toMatchObject(['the admin', 'export.start', { approvedBy: 'the other admin' }]);
  });

  it('is asked by nobody for what takes no second person', async () => {
    expect(await door.post('operator', '/exports', {})).toMatchObject({ status: 200 });
    const refused = await door.post('operator', '/exports', personal);
    expect(refused).toMatchObject({ status: 403, body: { type: 'urn:loyaltyd:problem:role' } });
    const dry = await door.post('operator', '/replays', { query: 'status=parked', dryRun: true });
    expect(dry).toMatchObject({ body: { type: 'urn:loyaltyd:problem:nothing-to-replay' } });
    const id = await door.setAside(sent(changed(own(completed), broken)));
    expect(await door.post('operator', `/quarantine/${id}/discard`)).toMatchObject({ status: 200 });
    expect(await approvals()).toEqual([]);
  });

  it('judges what waits as it would be judged then: whom nobody knows is not erased', async () => {
    const erase = { program: 'coffee-club', memberId: 'm-unknown' };
    expect(await door.post('admin', '/erasures', erase)).toMatchObject({ status: 404 });
    expect(await approvals()).toEqual([]);
  });

  it('stores no request with half a surrogate pair in it, nor fails over it', async () => {
    const halved = await door.post('admin', '/exports', { ...personal, program: '\ud800' });
    expect(halved).toMatchObject({ status: 400, detail: 'half a surrogate pair is not allowed' });
    expect(await approvals()).toEqual([]);
  });

  it('lets nobody have more done than they may know of: an export means the only program of who asked', async () => {
    const body = { ...personal, reason: 'all of ours' };
    const { text } = await door.send('admin.coffee', { method: 'POST', url: '/api/v1/exports', body });
    const asked = JSON.parse(text.slice(text.indexOf('\n') + 1)) as Answer['body'];
    expect(asked).toMatchObject({ program: 'coffee-club', askedBy: 'the admin.coffee' });
    expect(
      await door.post('admin', `/approvals/${String(asked['id'])}/approve`, { digest: asked['digest'] }),
    ).toMatchObject({
      status: 200,
    });
    expect(await jobsOf('/exports')).toMatchObject([{ id: 'e-1', program: 'coffee-club' }]);
  });

  it('takes nothing for a consent that names nothing', async () => {
    const asked = await door.post('admin', '/exports', personal);
    const { id } = asked.body;
    expect(await door.post('other admin', `/approvals/${String(id)}/approve`)).toMatchObject({ status: 400 });
    expect(await door.post('other admin', `/approvals/${String(id)}/refuse`, { reason: 'no' })).toMatchObject({
      status: 400,
    });
    expect(await door.post('other admin', `/approvals/${String(id)}/refuse`)).toMatchObject({
      body: { state: 'refused', settledBy: 'the other admin' },
    });
  });
});
