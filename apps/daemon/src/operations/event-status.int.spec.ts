import { createHash } from 'node:crypto';

import type { EventStatus, ProducerToken } from '#contracts';

import { OperatorsDoor } from './testing/operators-door.js';
import type { Fields, Sent } from './testing/sent-events.js';
import { broken, changed, completed, own, refunded, sent } from './testing/sent-events.js';

const producer = (name: string, ...sources: readonly string[]): ProducerToken => ({
  ...{ name, sources, sha256: createHash('sha256').update(name).digest('hex') },
});

describe('what became of an event', () => {
  let door: OperatorsDoor;

  beforeAll(async () => {
    const producers = [producer('shop', 'anything'), producer('stranger', 'another')];
    door = await OperatorsDoor.open({ limits: { tea: ['tea-club'] }, access: { producers: () => producers } });
  });

  afterAll(() => door.close());

  const get = async (token: string, path: string): Promise<{ status: number; body: EventStatus }> => {
    const { status, text } = await door.send(token, { method: 'GET', url: `/api/v1${path}` });
    return { status, body: JSON.parse(text.slice(text.indexOf('\n') + 1)) as EventStatus };
  };
  const pathOf = ({ source, id }: Fields): string => `/events/${encodeURIComponent(String(source))}/${String(id)}`;
  const lastOffset = async (): Promise<number> => {
    const [row] = await door.sql<{ next: number }>('SELECT max(next_offset) AS next FROM kafka_offset');
    return (row?.next ?? 0) - 1;
  };
  const notSeen = { state: 'not-seen', intents: [], quarantine: null };

  it('is told by its own source and id: its intents, and where its record lies', async () => {
    const event = own(completed);
    expect((await get('viewer', pathOf(event))).body).toEqual({ ...notSeen, place: null });
    await door.ingest(sent(event));
    const { memberId } = event['data'] as { readonly memberId: string };
    const { source, id } = event;
    const intent = { operation: 'transaction', event: { source, id }, eventType: completed, status: 'pending' };
    const place = { topic: 'loyalty.anything', partition: 0, offset: await lastOffset() };
    expect((await get('viewer', pathOf(event))).body).toEqual({
      ...{ state: 'recorded', place, quarantine: null },
      intents: [{ ...intent, id: `coffee-club~${memberId}~1`, recordedAt: expect.any(String) as string }],
    });
    expect((await get('shop', pathOf(event))).body).toMatchObject({
      state: 'recorded',
      intents: [{ ...intent, id: null }],
    });
  });

  it('is nothing to who may not know of it', async () => {
    const event = own(completed);
    await door.ingest(sent(event));
    for (const token of ['stranger', 'viewer.tea', 'admin.tea']) {
      expect((await get(token, pathOf(event))).body).toEqual({ ...notSeen, place: null });
    }
  });

  it('is told by the receipt of its record: set aside and why, read, or not seen', async () => {
    await door.setAside(sent(changed(own(completed), broken)));
    const offset = await lastOffset();
    const { body } = await get('shop', `/events/anything/0-${offset}`);
    expect(body).toMatchObject({ state: 'set-aside', quarantine: { id: null, reason: 'invalid', state: 'open' } });
    expect((await get('operator', `/events/anything/0-${offset}`)).body.quarantine?.id).toEqual(expect.any(Number));
    await door.ingest(sent(own(completed)));
    expect((await get('shop', `/events/anything/0-${offset + 1}`)).body.state).toBe('read');
    expect((await get('shop', `/events/anything/0-${offset + 2}`)).body.state).toBe('not-seen');
    for (const token of ['stranger', 'viewer.tea']) {
      const answers = await Promise.all([`0-${offset}`, '0-999'].map((id) => get(token, `/events/anything/${id}`)));
      expect(answers.map((answer) => ({ ...answer.body, place: null }))).toEqual(
        Array(2).fill({ ...notSeen, place: null }),
      );
    }
  });

  it('is all that a producer may ask', async () => {
    for (const path of ['/intents', '/quarantine', '/me', '/stats', '/programs', '/audit']) {
      expect((await get('shop', path)).status).toBe(403);
    }
    const { status } = await door.send('shop', { method: 'POST', url: '/api/v1/pauses', body: { reason: 'no' } });
    expect(status).toBe(403);
  });
});

/** Of each line of an order a sale; a line that names a sale takes it back. */
const map = `
lines.{
  "id": $$.order & "-" & no, "source": "/shop", "time": $$.at,
  "type": $exists(back) ? "loyalty.purchase.refunded.v1" : "loyalty.purchase.completed.v1",
  "data": $merge([
    { "program": "coffee-club", "memberId": member, "purchaseId": receipt },
    { "total": { "minor": $minor(total, "EUR"), "currency": "EUR" } }, $exists(back) ? { "refundId": back } : {}
  ])
}`;
const source = {
  topics: ['loyalty.anything'],
  format: 'json',
  types: [completed, refunded],
  programs: ['coffee-club'],
};
const programs = `sources: ${JSON.stringify({ anything: { ...source, map } })}\n`;

interface Line {
  readonly no: string;
  readonly member: string;
  readonly receipt: string;
  readonly back?: string;
}

describe('what became of a record of which a map makes events', () => {
  let door: OperatorsDoor;
  let next = 0;

  beforeAll(async () => {
    const producers = [producer('shop', 'anything'), producer('stranger', 'another')];
    door = await OperatorsDoor.open({
      programs,
      limits: { tea: ['tea-club'] },
      access: { producers: () => producers },
    });
  });

  afterAll(() => door.close());

  const order = (id: string, lines: readonly Line[], total = '10.00'): Sent => ({
    value: JSON.stringify({
      ...{ order: id, at: '2026-11-21T10:15:04Z' },
      lines: lines.map((line) => ({ ...line, total })),
    }),
  });
  /** @returns the receipt that who sent it by HTTP has got */
  const sends = async (record: Sent): Promise<string> => {
    await door.ingest(record);
    next += 1;
    return `0-${next - 1}-${door.clock.at}`;
  };
  const asks = async (token: string, id: string): Promise<EventStatus> => {
    const { text } = await door.send(token, { method: 'GET', url: `/api/v1/events/anything/${id}` });
    return JSON.parse(text.slice(text.indexOf('\n') + 1)) as EventStatus;
  };
  const told = ({ state, intents }: EventStatus): unknown => [
    state,
    intents.map(({ id, eventType, event, status }) => [id, eventType, event?.source, event?.id, status].join(' ')),
  ];

  it('is each event that it became, with its intents, of whichever members', async () => {
    const exchange = [
      { no: '1', member: 'ada', receipt: 'B-1' },
      { no: '2', member: 'bob', receipt: 'B-2' },
      { no: '3', member: 'ada', receipt: 'B-1', back: 'R-1' },
    ];
    const receipt = await sends(order('7', exchange));
    expect(told(await asks('shop', receipt))).toEqual([
      'recorded',
      [` ${completed} /shop 7-1 pending`, ` ${refunded} /shop 7-3 pending`, ` ${completed} /shop 7-2 pending`],
    ]);
    const { intents } = await asks('viewer', receipt);
    expect(intents.map(({ id }) => id)).toEqual(['coffee-club~ada~1', 'coffee-club~ada~2', 'coffee-club~bob~1']);
  });

  it('is path and rule of what the map refuses, and what it became once a person has taken it in', async () => {
    const receipt = await sends(order('8', [{ no: '1', member: 'eve', receipt: 'B-8' }], '10.005'));
    const { state, quarantine } = await asks('shop', receipt);
    expect(state).toBe('set-aside');
    expect(quarantine).toMatchObject({ id: null, reason: 'invalid', state: 'open' });
    expect(quarantine?.detail).toBe('map: events[0].data: $minor: the amount has more digits than its currency, 2');
    const { quarantine: shown } = await asks('operator', receipt);
    door.mend((text) => `${text}${programs.replace('$minor(total', '$minor(\\"10.00\\"')}`);
    expect((await door.post('operator', `/quarantine/${shown?.id ?? 0}/resubmit`)).status).toBe(200);
    const taken = await asks('shop', receipt);
    expect(told(taken)).toEqual(['recorded', [` ${completed} /shop 8-1 pending`]]);
    expect(taken.quarantine).toMatchObject({ state: 'resubmitted' });
    expect(told(await asks('shop', receipt.replace(/-\d+$/, '')))).toEqual(told(taken));
  });

  it('is read where it asked for nothing more, and nothing to who may not know of it', async () => {
    const same = order('9', [{ no: '1', member: 'ada', receipt: 'B-9' }]);
    const [first, again] = [await sends(same), await sends(same)];
    expect((await asks('shop', first)).state).toBe('recorded');
    expect((await asks('shop', again)).state).toBe('read');
    for (const token of ['stranger', 'viewer.tea']) expect((await asks(token, first)).state).toBe('not-seen');
    const other = first.replace(/\d+$/, '1');
    expect((await asks('shop', other)).state).toBe('read');
  });

  it('names no event whose member is erased', async () => {
    const receipt = await sends(order('10', [{ no: '1', member: 'zoe', receipt: 'B-10' }]));
    await door.sql(`DELETE FROM member_key WHERE lane_id = (SELECT lane_id FROM member WHERE member_id = 'zoe')`);
    expect((await asks('shop', receipt)).intents).toMatchObject([{ eventType: completed, event: null }]);
  });
});
