import { randomBytes } from 'node:crypto';
import { waitUntil } from '#embedded';
import { queryOnce } from '#test-support';
import type { LedgerItem, Reply } from './sandbox-client.js';
import { useSandbox } from './use-sandbox.js';

const fixture = useSandbox();
const { client } = fixture;

const past = { scheduledTimestamp: 0 };
const gold = { update: { templateTierId: 2 } };

function schedule(body: object, query = '', program = '101/programs/2001'): Promise<Reply> {
  return client.send(`PATCH /brands/${program}/wallets/schedule?${query}`, body);
}

/** What schedules have done, as soon as it is so many entries. */
function changes(count: number): Promise<LedgerItem[]> {
  const read = async (): Promise<LedgerItem[] | null> => {
    const items = await client.ledger('operation=scheduled-change');
    return items.length >= count ? items : null;
  };
  return waitUntil(read, { what: `${count} scheduled changes`, timeoutMs: 30_000 });
}

/** The members whose passes a schedule changes; one more schedule, of a pass of its own, tells when it is through. */
async function changedBy(body: object, query = '', program = '101/programs/2001'): Promise<(string | null)[]> {
  await client.issue('m_last');
  expect((await schedule({ ...past, ...gold, ...body }, query, program)).status).toBe(200);
  await schedule({ ...past, ...gold, filters: { unique_id: 'm_last' } });
  const isThrough = (items: LedgerItem[]): boolean => items.some((item) => item.uniqueId === 'm_last');
  const items = await waitUntil(
    async () => {
      const found = await client.ledger('operation=scheduled-change');
      return isThrough(found) ? found : null;
    },
    { what: 'the last schedule', timeoutMs: 30_000 },
  );
  return items.map((item) => item.uniqueId).filter((uniqueId) => uniqueId !== 'm_last');
}

/** Says it to an empty sandbox; anew, and with more time, where that was over before everything had been said. */
async function beforeItIsDue(say: (dueAt: number) => Promise<void>): Promise<void> {
  let dueAt = 0;
  for (let aheadMs = 500; Date.now() >= dueAt; aheadMs *= 2) {
    await fixture.reset();
    dueAt = Date.now() + aheadMs;
    await say(dueAt);
  }
}

describe('a schedule', () => {
  it('is accepted with a message, and waits for its time', async () => {
    await client.issue('m_1');
    const scheduledTimestamp = Date.now() + 3_600_000;
    const body = { scheduledName: 'spring', scheduledTimestamp, filters: { unique_id: 'm_1' }, ...gold };
    const { status, json } = await schedule(body);
    expect([status, json]).toEqual([
      200,
      { message: expect.stringContaining(new Date(scheduledTimestamp).toISOString()) as string },
    ]);
    const [entry] = await client.ledger('operation=schedule-update');
    expect(entry).toMatchObject({
      uniqueId: 'm_1',
      passId: null,
      key: null,
      targetId: expect.stringMatching(/^\d+$/) as string,
      body,
    });
    expect(await client.ledger('operation=scheduled-change')).toEqual([]);
    expect((await client.lookUp('unique_id=m_1')).json).not.toHaveProperty('templateTierId');
  });

  it('happens at its time, not before, and once', async () => {
    const { json: issued } = await client.issue('m_1', { person: { firstName: 'Ada' } });
    const dueAt = Date.now() + 400;
    const update = {
      templateTierId: 2,
      currentMessage: 'Gold',
      person: { firstName: 'Augusta' },
      passdata: { points: 7 },
    };
    const accepted = await schedule({ scheduledTimestamp: dueAt, filters: { unique_id: 'm_1' }, update });
    const [entry] = await changes(1);
    const [asked] = await client.ledger('operation=schedule-update');
    expect(entry).toMatchObject({
      operation: 'scheduled-change',
      uniqueId: 'm_1',
      passId: issued['passId'],
      targetId: asked!.targetId,
      requestId: accepted.headers.get('x-request-id'),
      arrivedAt: asked!.arrivedAt,
      body: update,
    });
    expect(Date.parse(entry!.appliedAt)).toBeGreaterThanOrEqual(dueAt);
    expect((await client.lookUp('unique_id=m_1')).json).toMatchObject({
      templateTierId: 2,
      currentMessage: 'Gold',
      passdata: { points: 7, metaData: { memberId: 'm_1' } },
    });
    expect(await client.ledger('operation=scheduled-change')).toHaveLength(1);
  });

  it('of a nearer time comes first, and one of the past at once', async () => {
    await beforeItIsDue(async (dueAt) => {
      await client.issue('m_1');
      const later = (points: number, scheduledTimestamp: number): Promise<Reply> =>
        schedule({ scheduledTimestamp, update: { passdata: { points } } });
      await later(3, dueAt + 400);
      await later(2, dueAt);
      await later(1, dueAt - 86_400_000);
    });
    const items = await changes(3);
    expect(items.map((item) => item.body)).toEqual([1, 2, 3].map((points) => ({ passdata: { points } })));
  });

  it('may give a local time and its zone', async () => {
    await client.issue('m_1');
    const pair = { scheduledDateTime: '2020-02-29T12:00:00', timeZone: 'Europe/Berlin' };
    const { json } = await schedule({ ...pair, ...gold });
    expect(json['message']).toContain('2020-02-29T11:00:00.000Z');
    await changes(1);
  });

  it.each([
    [{ scheduledDateTime: 'tomorrow', timeZone: 'Europe/Atlantis' }],
    [{ scheduledDateTime: 5, timeZone: null }],
    [{ timeZone: 'Europe/Berlin' }],
    [{ scheduledDateTime: '2999-01-01T00:00:00', timeZone: 'UTC' }],
  ])('with a timestamp does not mind the pair %j', async (pair) => {
    const { status, json } = await schedule({ scheduledTimestamp: 86_400_000, ...pair, ...gold });
    expect([status, json['message']]).toEqual([200, expect.stringContaining('1970-01-02T00:00:00.000Z')]);
  });
});

describe('the passes of a schedule', () => {
  const issueThree = async (): Promise<void> => {
    await client.issue('m_1', { groupId: 'a', templateTierId: 1 });
    await client.issue('m_2', { groupId: 'b', templateTierId: 1 });
    await client.issue('m_3', { groupId: 'b' });
    await client.workflow('77', { passdata: { metaData: { memberId: 'm_1' } } });
  };

  beforeEach(issueThree);

  it.each([
    [{ unique_id: 'm_2' }, '', ['m_2']],
    [{ groupId: 'b' }, '', ['m_2', 'm_3']],
    [{ templateTierId: 1 }, '', ['m_1', 'm_2']],
    [{ templateId: 12 }, '', []],
    [{ groupId: 'b', statusCode: 'ACTIVE' }, '', ['m_2', 'm_3']],
    [{ groupId: 'b', statusCode: 200 }, '', ['m_2', 'm_3']],
    [{ groupId: 'b', statusCode: 300 }, '', []],
    [{ groupId: 'b' }, 'unique_id=m_3', ['m_3']],
    [{ groupId: 'a' }, 'unique_id=m_3', []],
    [{ unique_id: 'm_1' }, 'unique_id=m_2', []],
    [{}, 'unique_id=m_2', ['m_2']],
  ])('match filters %j and query ?%s', async (filters, query, expected) => {
    expect(await changedBy({ filters }, query)).toEqual(expected);
  });

  it('match by person and serial number', async () => {
    const { json } = await client.lookUp('unique_id=m_2');
    const filters = { person_id: json['personId'], serialNumber: json['serialNumber'] };
    expect(await changedBy({ filters })).toEqual(['m_2']);
  });

  it('are all of the program without a filter, and none of another', async () => {
    expect(await changedBy({})).toEqual(['m_1', 'm_2', 'm_3']);
    expect((await client.lookUp('unique_id=m_1', '101/programs/2002')).json).not.toHaveProperty('templateTierId');
  });

  it('match when the time has come, not when it was asked for', async () => {
    await beforeItIsDue(async (dueAt) => {
      await issueThree();
      await schedule({ scheduledTimestamp: dueAt, filters: { groupId: 'b' }, ...gold });
      await client.issue('m_4', { groupId: 'b' });
      const leave = { groupId: 'z', passdata: { metaData: { memberId: 'm_2' } } };
      await client.workflow('78', leave, '101/programs/2001');
    });
    expect((await changes(2)).map((item) => item.uniqueId)).toEqual(['m_3', 'm_4']);
  });

  it('are not changed again when the change makes others match', async () => {
    const move = { filters: { groupId: 'b' }, update: { groupId: 'a' } };
    expect(await changedBy(move)).toEqual(['m_2', 'm_3']);
    expect((await client.send('GET /brands/101/programs/2001/wallet-passes?groupId=a')).json['totalCount']).toBe(3);
  });
});

it('the documented body alone is taken, and changes nothing', async () => {
  await client.issue('m_1', { templateTierId: 2 });
  const documented = { scheduledName: 'spring', ...past, filters: { unique_id: 'm_1' } };
  const { status, json } = await client.send('PATCH /brands/101/programs/2001/wallets/schedule', documented);
  expect([status, json['message']]).toEqual([200, expect.stringContaining('scheduled')]);
  const items = await changes(1);
  expect(items.map((item) => item.uniqueId)).toEqual(['m_1']);
  expect((await client.lookUp('unique_id=m_1')).json['templateTierId']).toBe(2);
});

it('a brand by e-mail schedules by e-mail', async () => {
  const program = '102/programs/2101';
  for (const name of ['ada', 'bob', 'eve']) {
    const body = { person: { email: `${name}@example.org` }, passdata: { metaData: { memberId: `m_${name}` } } };
    await client.send(`POST /brands/${program}/issue-wallet`, body);
  }
  await schedule({ ...past, ...gold, filters: { email: 'ada@example.org' } }, '', program);
  await schedule({ ...past, ...gold }, 'email=bob%40example.org', program);
  await schedule({ ...past, ...gold, filters: { unique_id: 'm_eve' } }, '', program);
  const items = await changes(3);
  expect(items.map((item) => item.uniqueId)).toEqual(['m_ada', 'm_bob', 'm_eve']);
});

it('more passes than one slice are changed, each once, while others are served', async () => {
  await Promise.all(Array.from({ length: 450 }, (_, index) => client.issue(`m_${index}`)));
  await schedule({ ...past, ...gold });
  const sale = await client.sale('m_1', { receipt: 'R1' });
  const items = await changes(450);
  expect(sale.status).toBe(200);
  expect(new Set(items.map((item) => item.passId)).size).toBe(450);
  expect(items).toHaveLength(450);
});

it('a value that one cardholder alone may have goes to the first, and the others stay as they are', async () => {
  await client.send('POST /brands/101/attributes', { name: 'cardNumber', unique: true });
  for (const member of ['m_1', 'm_2']) await client.issue(member);
  const update = { passdata: { metaData: { cardNumber: 'C-1' } } };
  expect(await changedBy({ update })).toEqual(['m_1']);
  expect((await client.lookUp('unique_id=m_2')).json).toMatchObject({ passdata: { metaData: { memberId: 'm_2' } } });
});

it('a change that no pass can hold is given up, and does not stand in the way of the next', async () => {
  const log = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  // Too long for an index, which only a pass has: nothing tells before. A request with it is refused.
  const groupId = randomBytes(6_000).toString('hex');
  await beforeItIsDue(async (dueAt) => {
    await client.issue('m_1');
    expect((await schedule({ scheduledTimestamp: dueAt, update: { groupId: 'g' } })).status).toBe(200);
    await queryOnce(fixture.databaseUrl, `UPDATE wallet_sandbox.schedule SET change = '{"groupId":"${groupId}"}'`);
    await schedule({ scheduledTimestamp: dueAt + 1, ...gold });
  });
  const items = await changes(1);
  expect(items.map((item) => item.body)).toEqual([gold.update]);
  expect(log.mock.calls.flat().join('')).toContain('abandoned');
  log.mockRestore();
});

it('a reset forgets what is scheduled', async () => {
  await client.issue('m_1');
  const dueAt = Date.now() + 300;
  await schedule({ scheduledTimestamp: dueAt, ...gold });
  await client.send('POST /__reset');
  await client.issue('m_1');
  await schedule({ scheduledTimestamp: dueAt + 1, update: { groupId: 'later' } });
  const items = await changes(1);
  expect(items.map((item) => item.body)).toEqual([{ groupId: 'later' }]);
});

describe('what is refused', () => {
  it.each([
    ['no time', gold, /scheduledTimestamp/],
    ['half of the pair', { scheduledDateTime: '2026-11-21T09:00:00', ...gold }, /timeZone/],
    ['the other half', { timeZone: 'UTC', ...gold }, /scheduledDateTime/],
    ['an unknown zone', { scheduledDateTime: '2026-11-21T09:00:00', timeZone: 'Europe/Atlantis', ...gold }, /timeZone/],
    ['a wrong zone', { scheduledDateTime: '2026-11-21T09:00:00', timeZone: 1, ...gold }, /timeZone/],
    ['no date', { scheduledDateTime: '2026-02-30T09:00:00', timeZone: 'UTC', ...gold }, /scheduledDateTime/],
    ['a wrong date', { scheduledDateTime: 5, timeZone: 'UTC', ...gold }, /scheduledDateTime/],
    ['a text for a timestamp', { scheduledTimestamp: '5', ...gold }, /scheduledTimestamp/],
    ['a broken timestamp', { scheduledTimestamp: 1.5, ...gold }, /scheduledTimestamp/],
    ['a negative timestamp', { scheduledTimestamp: -1, ...gold }, /scheduledTimestamp/],
    ['a timestamp beyond dates', { scheduledTimestamp: 9e15, ...gold }, /scheduledTimestamp/],
    ['a wrong name', { ...past, scheduledName: 5, ...gold }, /scheduledName/],
    ['an empty change', { ...past, update: {} }, /update/],
    ['an unknown change', { ...past, update: { colour: 'red' } }, /colour/],
    ['a wrong change', { ...past, update: { templateTierId: 'x' } }, /templateTierId/],
    ['an unknown tier', { ...past, update: { templateTierId: 3 } }, /templateTierId/],
    ['another cardholder', { ...past, update: { passdata: { metaData: { memberId: 'm_9' } } } }, /memberId/],
    ['a change that cannot be stored', { ...past, update: { groupId: 'a\0b' } }, /cannot be stored/],
    ['an unknown filter', { ...past, ...gold, filters: { colour: 'red' } }, /colour/],
    ['a wrong filter', { ...past, ...gold, filters: { unique_id: 5 } }, /unique_id/],
    ['an e-mail filter', { ...past, ...gold, filters: { email: 'ada@example.org' } }, /email/],
    ['an unknown property', { ...past, ...gold, colour: 'red' }, /colour/],
    ['a list', [], /./],
  ])('%s', async (_name, body, message) => {
    await client.issue('m_1');
    const { status, json } = await schedule(body);
    expect([status, json['message']]).toEqual([400, expect.stringMatching(message)]);
    expect((await client.ledger()).map((item) => item.operation)).toEqual(['issue']);
  });

  it.each([
    ['colour=red', '101/programs/2001', 400],
    ['email=ada%40example.org', '101/programs/2001', 400],
    ['unique_id=', '101/programs/2001', 400],
    ['', '101/programs/9', 404],
    ['', '102/programs/2001', 404],
  ])('?%s at %s', async (query, program, expected) => {
    const { status, json } = await schedule({ ...past, ...gold }, query, program);
    expect([status, json['message']]).toEqual([expected, expect.any(String)]);
    expect(await client.ledger()).toEqual([]);
  });
});
