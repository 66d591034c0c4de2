import { createHash } from 'node:crypto';

import type { EventStatus, ProducerToken } from '#contracts';

import { OperatorsDoor } from './testing/operators-door.js';
import type { Fields } from './testing/sent-events.js';
import { broken, changed, completed, own, sent } from './testing/sent-events.js';

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
    const intent = { operation: 'transaction', eventType: completed, status: 'pending' };
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
