import { OperatorsDoor, roles } from './testing/operators-door.js';
import { changed, completed, enrolled, own, sent } from './testing/sent-events.js';

let door: OperatorsDoor;

beforeAll(async () => {
  door = await OperatorsDoor.open();
});

afterAll(() => door.close());

const problem = (status: number, code: string): object => ({
  status,
  type: 'application/problem+json; charset=utf-8',
  body: { type: `urn:loyaltyd:problem:${code}` },
});

/** @returns its id */
async function recorded(event: Readonly<Record<string, unknown>>): Promise<string> {
  await door.ingest(sent(event));
  const { memberId } = event['data'] as { readonly memberId: string };
  return `coffee-club~${encodeURIComponent(memberId).replaceAll('~', '%7E')}~1`;
}

const items = async (path: string): Promise<Record<string, unknown>[]> =>
  (await door.get(path))['items'] as Record<string, unknown>[];

describe('an intent', () => {
  it('is done with once, by who may and says why, and the audit tells of it page by page', async () => {
    const path = `/intents/${await recorded(own(completed))}`;
    expect(await door.post('viewer', `${path}/cancel`)).toMatchObject({ status: 403 });
    expect(await door.post('operator', `${path}/cancel`, { reason: ' ' })).toMatchObject(
      problem(400, 'invalid-request'),
    );
    const answers = await Promise.all([1, 2].map(() => door.post('operator', `${path}/cancel`)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 200)).toMatchObject({ body: { intent: { status: 'cancelled' } } });
    expect(await door.post('operator', `${path}/replay`)).toMatchObject(problem(409, 'already-settled'));
    const { nextCursor, items: newest } = (await door.get('/audit?limit=1')) as { nextCursor: string; items: object[] };
    expect(newest).toMatchObject([
      ...[
        {
          action: 'intent.cancel',
          actor: 'the operator',
          role: 'operator',
          address: '127.0.0.1',
          reason: 'it must be',
        },
      ],
    ]);
    const other = `/intents/${await recorded(own(completed))}`;
    const patch = { attributes: { store: 'berlin-08' } };
    expect(await door.post('operator', `${other}/correct`, { patch })).toMatchObject({ status: 200 });
    expect(await items(`/audit?cursor=${nextCursor}`)).toEqual([]);
    expect((await items('/audit')).map(({ action }) => action)).toEqual(['intent.correct', 'intent.cancel']);
  });

  // Only ids of up to 100 characters could be asked for: the others were listed, and nobody could put them right.
  it.each(['m~4', `${'m'.repeat(240)}/ü%`])('is found whatever its member is called: %s', async (memberId) => {
    const id = await recorded(changed(own(completed), { 'data.memberId': memberId }));
    expect(await door.get(`/intents/${encodeURIComponent(id)}`)).toMatchObject({ id });
    expect(await door.get(`/members/coffee-club/${encodeURIComponent(memberId)}`)).toMatchObject({ memberId });
  });

  it('that is not there, or cannot be, is answered as a problem', async () => {
    expect(await door.post('operator', '/intents/coffee-club~nobody~1/replay')).toMatchObject(
      problem(404, 'no-such-intent'),
    );
    expect(await door.get('/intents/nobody')).toMatchObject({ status: 400 });
    expect(await door.get('/members/coffee-club/nobody')).toMatchObject({ status: 404 });
    expect(await door.get('/members/coffee-club/m%zz')).toMatchObject({ status: 400 });
  });

  it.each([
    '/intents?colour=red',
    '/intents?status=lost',
    '/intents?limit=0',
    '/intents?from=yesterday',
    '/quarantine/x',
  ])('is not looked for by what nobody can mean: %s', async (path) => {
    expect(await door.get(path)).toMatchObject({ type: 'urn:loyaltyd:problem:invalid-request', status: 400 });
  });

  it('shows the request that is to be made, and takes a correction that is one', async () => {
    const path = `/intents/${await recorded(own(completed))}`;
    const { nextRequest, command } = (await door.get(path)) as {
      readonly nextRequest: object;
      readonly command: { readonly attributes: object };
    };
    expect(nextRequest).toMatchObject({
      method: 'POST',
      path: expect.stringMatching(/\/transaction-types\/31\/transactions\?unique_id=m-\d+$/) as string,
      problems: [],
    });
    const correct = (body: object) => door.post('operator', `${path}/correct`, body);
    expect(await correct({ patch: {} })).toMatchObject(problem(422, 'nothing-changed'));
    for (const masked of [{ patch: { attributes: command.attributes } }, { command }]) {
      expect((await correct(masked)).detail).toContain('attributes.receipt');
    }
    const nonsense = await door.post('admin', `${path}/correct`, { patch: { amount: 'much' } });
    expect([nonsense.status, JSON.stringify(nonsense.body).includes('much"')]).toEqual([400, false]);
    expect(await correct({ patch: { attributes: { store: 'berlin-08' } } })).toMatchObject({
      status: 200,
      body: { changes: [{ path: 'attributes.store', from: expect.stringMatching(/•••$/) as string }] },
    });
    const { events } = (await door.get(path)) as { readonly events: readonly { readonly type: string }[] };
    expect(events.map(({ type }) => type)).toEqual(['IntentCorrected']);
  });

  it('stands with others of the same cause, with what is at stake, and is found by that', async () => {
    const id = await recorded(own(completed));
    await door.sql(
      `INSERT INTO intent_standing (lane_id, seq, status, reason, code, fingerprint, since, recorded_at, program_id, operation, currency, amount)
       SELECT lane_id, seq, 'parked', 'rejected', 'refused', md5('refused'), now(), recorded_at, 'coffee-club', operation, currency, amount
       FROM intent JOIN member USING (lane_id) WHERE member_id = $1`,
      id.split('~')[1] ?? '',
    );
    const [group] = await items('/groups');
    expect(group).toMatchObject({ operation: 'transaction', reason: 'rejected', intents: 1, members: 1 });
    expect(group?.['fingerprint']).toMatch(/^[0-9a-f]{32}$/);
    expect(group?.['money']).toMatchObject([{ currency: 'EUR' }]);
    const query = new URLSearchParams(group?.['query'] as Record<string, string>).toString();
    expect((await items(`/intents?${query}`)).map((intent) => intent['id'])).toEqual([id]);
    const dry = { kind: 'replay', id: 'dry', query: 'status=parked', dryRun: true };
    expect(await door.post('operator', '/jobs', dry)).toMatchObject({ status: 200, body: { state: 'planned' } });
    const shown = { intent: id, request: { method: 'POST' }, changes: [] };
    expect(await items('/jobs/dry/items?requests=true')).toMatchObject([shown]);
    expect((await items('/jobs/dry/items'))[0]).not.toHaveProperty('request');
    // A mended file: the dry run shows what it makes of each, before anything is sent.
    door.mend((text) =>
      text.replaceAll('transactionTypeId: "31"', 'transactionTypeId: "35"').replaceAll('gross:', 'sum:'),
    );
    const [mended] = await items('/jobs/dry/items?requests=true');
    expect(mended?.['request']).toMatchObject({ path: expect.stringContaining('/transaction-types/35/') as string });
    expect(mended?.['changes']).toMatchObject([
      { path: 'attributes.gross' },
      { path: 'attributes.sum' },
      { path: 'transactionTypeId', from: '31', to: '35' },
    ]);
    const { nextRequest } = await door.get(`/intents/${id}`);
    expect(nextRequest).toMatchObject({ path: expect.stringContaining('/transaction-types/35/') as string });
    door.mend((text) => text);
  });
});

describe('what is personal', () => {
  it('is shown to an admin alone, which is kept', async () => {
    const event = own(enrolled);
    await recorded(event);
    const { memberId } = event['data'] as { readonly memberId: string };
    const path = `/members/coffee-club/${memberId}/unmask`;
    expect(JSON.stringify(await door.get(`/intents/coffee-club~${memberId}~1`))).not.toMatch(/Ada|@example/);
    expect(await door.post('operator', path)).toMatchObject({ status: 403 });
    const shown = await door.post('admin', path);
    expect([shown.status, JSON.stringify(shown.body).includes('@example')]).toEqual([200, true]);
    expect(await door.newestAction()).toMatchObject({
      ...{ action: 'member.unmask', actor: 'the admin', reason: 'it must be', intent: null },
      member: { memberId },
    });
  });
});

// Viewers read them with the member: whoever has such an address has the card.
describe('the addresses of a card', () => {
  const links = {
    downloadUrl: 'https://cards.example/7',
    downloadUrlApple: 'https://cards.example/7/apple',
    downloadUrlGoogle: null,
  };
  const address = 'cards.example';
  const path = '/members/coffee-club/m-card';

  beforeAll(() => door.shows('coffee-club', 'm-card', { passId: 7, serialNumber: 's-7', ...links }));

  it.each(roles)('are read by no %s along with the member', async (role) => {
    const { status, text } = await door.send(role, { method: 'GET', url: `/api/v1${path}` });
    expect([status, text.includes('s-7'), text.includes(address)]).toEqual([200, true, false]);
    // That there are some says nothing.
    expect(text).toContain('"downloadUrl":"text(23) •••"');
  });

  it('are given to an operator who says why, which is kept without them', async () => {
    expect(await door.post('viewer', `${path}/card-links`)).toMatchObject(problem(403, 'role'));
    expect(await door.post('operator', `${path}/card-links`, { reason: '' })).toMatchObject(
      problem(400, 'invalid-request'),
    );
    const before = await items('/audit');
    expect(before.filter(({ action }) => action === 'member.card-links')).toEqual([]);
    expect(await door.post('operator', `${path}/card-links`)).toMatchObject({
      status: 200,
      body: { program: 'coffee-club', memberId: 'm-card', ...links },
    });
    const kept = await door.newestAction();
    expect(kept).toMatchObject({
      ...{ action: 'member.card-links', actor: 'the operator', role: 'operator', reason: 'it must be', intent: null },
      member: { program: 'coffee-club', memberId: 'm-card' },
    });
    expect(JSON.stringify(kept)).not.toContain(address);
  });

  it('are none of a member of whom no card was ever shown, nor of one whom nobody knows', async () => {
    const id = await recorded(own(enrolled));
    const none = { downloadUrl: null, downloadUrlApple: null, downloadUrlGoogle: null };
    expect(await door.post('operator', `/members/coffee-club/${id.split('~')[1] ?? ''}/card-links`)).toMatchObject({
      status: 200,
      body: none,
    });
    expect(await door.post('operator', '/members/coffee-club/nobody/card-links')).toMatchObject(
      problem(404, 'no-such-member'),
    );
  });
});

describe('a pause', () => {
  it('is one, however often it is set, and lifted by what it names', async () => {
    const pause = { program: 'coffee-club', operation: 'transaction' };
    expect(await door.post('operator', '/pauses', pause)).toMatchObject({ status: 200, body: { isNew: true } });
    expect(await door.post('operator', '/pauses', pause)).toMatchObject({ status: 200, body: { isNew: false } });
    expect(await items('/pauses')).toHaveLength(1);
    const lift = async (query: string): Promise<number> =>
      (await door.send('operator', { method: 'DELETE', url: `/api/v1/pauses?program=coffee-club&operation=${query}` }))
        .status;
    expect([await lift('reward'), await lift('transaction'), await lift('transaction')]).toEqual([404, 200, 404]);
    expect(await door.get('/pauses')).toEqual({ items: [] });
  });

  it('ends by itself where it says so, and is of what exists', async () => {
    const sales = { program: 'coffee-club', operation: 'transaction', factor: 'store:s1' };
    const until = new Date(Date.now() + 3_600_000).toISOString();
    expect(await door.post('operator', '/pauses', { ...sales, until })).toMatchObject({ body: { pause: { until } } });
    expect(await items('/pauses')).toMatchObject([{ ...sales, until }]);
    await door.send('operator', { method: 'DELETE', url: '/api/v1/pauses', body: sales });
    const refused = async (body: object): Promise<number> => (await door.post('operator', '/pauses', body)).status;
    expect(await refused({ ...sales, until: '2020-01-01T00:00:00Z' })).toBe(400);
    expect(await refused({ ...sales, until: '2999-01-01T00:00:00Z' })).toBe(400);
    expect(await refused({ ...sales, until: 'tomorrow' })).toBe(400);
    expect(await refused({ factor: 'store:s1' })).toBe(400);
    expect(await refused({ ...sales, factor: 'member:m-1' })).toBe(400);
    expect(await door.post('operator', '/pauses', { program: 'coffee-club', factor: 'member:nobody' })).toMatchObject(
      problem(404, 'no-such-member'),
    );
    expect(await items('/pauses')).toEqual([]);
  });

  it('is lifted but for what stays held; nothing of that where it was not paused', async () => {
    const sales = { program: 'coffee-club', operation: 'transaction' };
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const lift = async (more: object): ReturnType<typeof door.send> =>
      door.send('operator', { method: 'DELETE', url: '/api/v1/pauses', body: { ...sales, ...more } });
    expect((await lift({ but: ['store:s1'] })).status).toBe(404);
    expect(await items('/pauses')).toEqual([]);
    expect(
      (await door.send('operator', { method: 'GET', url: '/api/v1/pauses/waiting?program=coffee-club' })).status,
    ).toBe(404);
    await door.post('operator', '/pauses', sales);
    expect(await door.get('/pauses/waiting?program=coffee-club&operation=transaction')).toMatchObject({
      isPart: false,
    });
    expect((await lift({ until })).status).toBe(400);
    expect((await lift({ but: ['member:m-1'] })).status).toBe(400);
    expect((await lift({ but: ['till:3'] })).status).toBe(400);
    const held = { ...sales, factor: 'store:s1', until, automatic: false };
    const { status, text } = await lift({ but: ['store:s1', 'store:s1'], until });
    expect([status, JSON.parse(text.split('\n').at(-1) ?? '')]).toMatchObject([
      200,
      { ...sales, factor: null, held: [held] },
    ]);
    expect(await items('/pauses')).toMatchObject([held]);
    expect((await lift({ factor: 'store:s1' })).status).toBe(200);
    expect(await items('/pauses')).toEqual([]);
  });

  it('needs no reason; its answer bears the id under which the audit has it', async () => {
    const asked = await fetch(`${await door.url}/api/v1/pauses`, {
      method: 'POST',
      headers: { authorization: 'Bearer operator', 'content-type': 'application/json' },
      body: JSON.stringify({ program: 'tea-club' }),
    });
    expect([asked.status, await asked.json()]).toMatchObject([200, { pause: { reason: 'no reason given' } }]);
    expect((await door.newestAction()).requestId).toBe(asked.headers.get('x-request-id'));
  });
});

describe('a change of passes at a chosen time', () => {
  const order = { kind: 'schedule', program: 'coffee-club', at: '2099-01-01T00:00:00Z', select: { tier: 2 } };

  it.each([
    ['lies in the past', { at: '2020-01-01T00:00:00Z' }],
    ['lies in the past of its zone', { at: { dateTime: '2020-01-01T00:00:00', timeZone: 'Europe/Berlin' } }],
    ['is of no zone', { at: { dateTime: '2099-01-01T00:00:00', timeZone: 'Europe/Berlinn' } }],
    ['is of an offset for a zone', { at: { dateTime: '2099-01-01T00:00:00', timeZone: '+01:00' } }],
    ['is of an hour that does not exist', { at: { dateTime: '2027-03-28T02:30:00', timeZone: 'Europe/Berlin' } }],
    ['is of an hour that comes twice', { at: { dateTime: '2027-10-31T02:30:00', timeZone: 'Europe/Berlin' } }],
    ['is of a day that does not exist', { at: { dateTime: '2099-02-30T00:00:00', timeZone: 'Europe/Berlin' } }],
    ['selects nothing', { select: {} }],
    ['changes nothing', { change: {} }],
    ['has no time', { at: undefined }],
    ['is local without a zone', { at: { dateTime: '2099-01-01T00:00:00' } }],
    ['has no reason', { reason: undefined }],
    ['would keep a text to one person', { select: { memberId: 'm-1' }, change: { message: 'Dear Ada' } }],
  ])('is refused where it %s', async (_what, more) => {
    expect(await door.post('operator', '/jobs', { ...order, ...more })).toMatchObject({ status: 400 });
  });

  it('is kept with who asked for it and why', async () => {
    expect(await door.post('operator', '/jobs', order)).toMatchObject({ status: 200 });
    expect(await door.newestAction()).toMatchObject({
      action: 'schedule.start',
      actor: 'the operator',
      reason: 'it must be',
    });
  });
});

describe('what is set up at the partner', () => {
  it.each([
    [{ program: 'no-club' }, 422, 'no-such-program'],
    [{ program: 'coffee-club', reason: ' ' }, 400, 'invalid-request'],
    [{ program: 'coffee-club', force: true }, 400, 'invalid-request'],
  ])('is refused: %j', async (request, status, code) => {
    expect(await door.post('operator', '/jobs', { kind: 'provision', ...request })).toMatchObject(
      problem(status, code),
    );
  });

  it('is settled by who may, step by step', async () => {
    const resolve = (stepId: string, role: 'viewer' | 'operator' = 'operator') =>
      door.post(role, `/provisioned/${stepId}/resolve`, { as: 'created' });
    expect(await resolve('nonsense')).toMatchObject({ status: 400 });
    const stepId = '00000000-0000-4000-8000-000000000000';
    expect(await resolve(stepId, 'viewer')).toMatchObject({ status: 403 });
    expect(await resolve(stepId)).toMatchObject(problem(404, 'no-such-step'));
    await door.sql(
      `INSERT INTO provisioned (brand_id, program_id, kind, type_id, name, version, step_id, action, state, content, at)
       VALUES ('101', '2001', 'template', '', 'Winter', 1, $1, 'create', 'created', '{}', now())`,
      stepId,
    );
    expect(await resolve(stepId)).toMatchObject(problem(409, 'step-not-in-doubt'));
  });
});
