import type { ActionRecorded, AuditEntry, AuditPage, IntentPage, JobView } from '#contracts';
import { ACTION_RECORDED, actionRecordedSchema } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { kafkaClient, queryOnce } from '#test-support';

import { readTopics } from '../reading/topics.js';
import type { Role } from './api-client.js';
import { ApiClient, apiTokens, settleRecords } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { createAttribute } from './partner.js';
import { showTables } from './planted/planted-harness.js';
import { endLeases } from './store.js';
import { emission, enrolled, produce, purchased } from './traffic.js';

/** With an attribute that the partner does not know: every purchase is refused, and parks. */
const programs = programsFile.replace('store: storeId', 'store: storeId, shop: storeId');
const members = ['secret-m-1', 'secret-m-2', 'secret-m-3', 'secret-m-4'];
const reason = 'Mrs Lovelace wrote a letter from Ockham Park';
const total = { minor: 100, currency: 'USD', digits: 2 };
const dollars = ['usd-1', 'usd-2'].map((id) =>
  emission('purchases', 'purchase.completed', {
    ...{ id, memberId: 'secret-m-3', purchaseId: id, channel: 'pos', storeId: 'berlin-07', total, lines: [] },
  }),
);
const everyAction = [
  ...['member.unmask', 'intent.resolve', 'intent.cancel', 'intent.replay', 'pause.set', 'quarantine.discard'],
  ...['replay.start', 'discard.plan', 'discard.start'],
];
const patient = { timeoutMs: 60_000, intervalMs: 50 };

/** A message of the audit topic, as its bytes and as what they say. */
interface Heard {
  readonly key: string;
  readonly bytes: string;
  readonly id: string;
  readonly type: string;
  readonly time: string;
  readonly data: ActionRecorded;
}

describe('the audit topic', () => {
  let harness: Harness;
  let daemon: RunningProcess;

  beforeAll(async () => {
    harness = await openHarness(programs);
    await start();
    const { broker, topics } = harness;
    await produce(broker, topics, members.map(enrolled));
    await produce(broker, topics, [...members.map((memberId) => purchased(memberId, `${memberId}-p`)), ...dollars]);
    await waitUntil(async () => (await parkedIds()).length === members.length, {
      what: 'parked purchases',
      ...patient,
    });
    await waitUntil(async () => (await idsOf('/quarantine')).length === 2, { what: 'records set aside', ...patient });
  });

  afterAll(async () => {
    await harness.close();
  });

  const as = (role: Role): ApiClient => new ApiClient(daemon, role);

  async function start(): Promise<void> {
    daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens });
  }

  async function idsOf(path: string): Promise<readonly unknown[]> {
    return ((await as('viewer').get(path)).body as { items: readonly unknown[] }).items;
  }

  async function parkedIds(): Promise<string[]> {
    return ((await as('viewer').get('/intents?status=parked')).body as IntentPage).items.map(({ id }) => id).toSorted();
  }

  async function post(role: Role, path: string, body: object): Promise<void> {
    expect(await as(role).post(path, { reason, ...body })).toMatchObject({ status: 200 });
  }

  /** Everything that the topic holds, of a partition in its order. */
  async function heard(): Promise<Heard[]> {
    const records = await readTopics(kafkaClient(harness.broker), [harness.topics.audit]);
    return records.map(({ message: { key, value, headers } }) => {
      const said = JSON.parse(String(value)) as Omit<Heard, 'key' | 'bytes'>;
      const bytes = [String(key), String(value), JSON.stringify(headers, (_name, each: unknown) => String(each))];
      return {
        ...said,
        key: String(key),
        bytes: [...bytes, ...Object.values(headers ?? {}).map(String)].join('\n'),
      };
    });
  }

  async function audit(): Promise<AuditEntry[]> {
    return ((await as('admin').get('/audit?limit=500')).body as AuditPage).items;
  }

  /** Resolves with what the topic holds, once every action of the audit is in it. */
  async function everythingHeard(): Promise<Heard[]> {
    const entries = await audit();
    const look = async (): Promise<Heard[] | undefined> => {
      const all = await heard();
      const numbers = new Set(all.map(({ data }) => data.number));
      return entries.every(({ id }) => numbers.has(id)) ? all : undefined;
    };
    return waitUntil(look, { what: `${entries.length} actions in the topic`, ...patient });
  }

  /** What is published of an entry of the audit, but for the pseudonym. */
  const published = ({ id: number, at, actor, role, action }: AuditEntry): object => ({
    ...{ time: at, number, actor, role, action },
  });

  it('holds every action, of one and of many, with who did what, and each once', async () => {
    const [one = '', two = '', three = ''] = await parkedIds();
    await post('admin', `/members/coffee-club/${members[0] ?? ''}/unmask`, {});
    await post('operator', `/intents/${one}/resolve`, { as: 'delivered' });
    await post('operator', `/intents/${two}/cancel`, {});
    await post('operator', '/pauses', { program: 'coffee-club', operation: 'reward' });
    await post('operator', '/pauses', { program: 'Mrs Lovelace', operation: 'reward' });
    await settleRecords(as('operator'), { kind: 'discard', query: {}, reason });
    await createAttribute(harness.sandboxUrl, 31, 'shop');
    await post('operator', `/intents/${three}/replay`, {});
    await post('admin', '/jobs', { kind: 'replay', id: 'letters', query: 'status=parked', ratePerSecond: 100 });
    const replayed = async (): Promise<boolean> =>
      ((await as('viewer').get('/jobs/letters')).body as JobView).state === 'done';
    await waitUntil(replayed, { what: 'the replay', ...patient });

    const all = await everythingHeard();
    const entries = await audit();
    const bySeen = all.toSorted((a, b) => b.data.number - a.data.number);
    expect(
      bySeen.map(({ time, data: { number, actor, role, action } }) => ({ time, number, actor, role, action })),
    ).toEqual(entries.map(published));
    const actions = entries.map(({ action }) => action);
    expect(actions.filter((action) => action === 'quarantine.discard')).toHaveLength(2);
    expect(new Set(actions)).toEqual(new Set(everyAction));
    expect(new Set(entries.map(({ role }) => role))).toEqual(new Set(['operator', 'admin']));
    for (const { type, key, data } of all) {
      expect({ type, key }).toEqual({ type: ACTION_RECORDED, key: data.program ?? '' });
      expect(actionRecordedSchema.parse(data)).toEqual(data);
      expect(data.kind).toBe(data.action.split('.')[0]);
    }
    const ofPrograms = new Set(all.map(({ key }) => key));
    expect(ofPrograms).toEqual(new Set(['coffee-club', '']));
  });

  it('has one pseudonym for each member', async () => {
    const byNumber = new Map((await heard()).map(({ data }) => [data.number, data.member]));
    const pairs = (await audit()).map(({ id, member }) => `${member?.memberId ?? ''} ${byNumber.get(id) ?? ''}`);
    const distinct = new Set(pairs.filter((pair) => pair !== ' '));
    expect(distinct.size).toBe(3);
    for (const pair of distinct) expect(pair).toMatch(/^secret-m-\d [\da-f]{32}$/);
  });

  it('gets nothing again from a process that follows one that ended well', async () => {
    const before = await heard();
    expect(await daemon.stop()).toMatchObject({ code: 0 });
    await start();
    await post('operator', '/pauses', { program: 'coffee-club', operation: 'issue' });
    const after = await everythingHeard();
    expect(after.map(({ data }) => data.number).toSorted((a, b) => a - b)).toEqual(
      [...before.map(({ data }) => data.number), before.length + 1].toSorted((a, b) => a - b),
    );
  });

  it('misses nothing of processes that are killed, and what comes again has the same id', async () => {
    for (let lives = 0; lives < 3; lives += 1) {
      const toggle = async (times: number): Promise<void> => {
        for (let time = 0; time < times; time += 1) {
          await post('operator', '/pauses', { program: 'coffee-club', operation: 'schedule-update' });
          expect(await as('operator').delete('/pauses?program=coffee-club&operation=schedule-update')).toMatchObject({
            status: 200,
          });
        }
      };
      await toggle(10);
      daemon.kill('SIGKILL');
      await daemon.exited;
      await endLeases(harness.database.url);
      await start();
    }
    const all = await everythingHeard();
    const entries = await audit();
    const ids = new Map(all.map(({ data, id }) => [data.number, id]));
    expect(ids.size).toBe(entries.length);
    expect(new Set(all.map(({ id }) => id)).size).toBe(entries.length);
    for (const { data, id } of all) expect(id).toBe(ids.get(data.number));
  });

  it('holds nothing personal and no free text, searched byte by byte', async () => {
    const bytes = (await heard()).map((each) => each.bytes).join('\n');
    expect(bytes).toContain('coffee-club');
    const forbidden = [reason, 'Lovelace', 'Ada', 'example.org', '127.0.0.1', 'letters', 'usd-', 'reward', 'no reason'];
    for (const text of [...members, ...forbidden]) expect(bytes).not.toContain(text);
  });

  it('cannot be given a pseudonym again after the erasure, nor can anything else tell whose it was', async () => {
    const [memberId = ''] = members;
    const own = (await audit()).filter(({ member }) => member?.memberId === memberId).map(({ id }) => id);
    const before = await heard();
    const pseudonym = before.find(({ data }) => own.includes(data.number))?.data.member ?? '';
    expect(pseudonym).toMatch(/^[\da-f]{32}$/);
    await post('admin', '/jobs', { kind: 'erase', id: 'forget', program: 'coffee-club', memberId });
    const isDone = async (): Promise<boolean> =>
      ((await as('viewer').get('/jobs/forget')).body as JobView).state === 'done';
    await waitUntil(isDone, { what: 'the erasure', ...patient });
    await everythingHeard();
    await daemon.stop();

    // All of it is published once more.
    const seen = (await heard()).length;
    await queryOnce(harness.database.ownerUrl, `UPDATE projection_checkpoint SET pos = 0 WHERE name = 'audit'`);
    await start();
    const count = (await audit()).length;
    const again = await waitUntil(
      async () => {
        const all = await heard();
        return all.length >= seen + count ? all : undefined;
      },
      { what: 'the audit once more', ...patient },
    );
    const last = new Map(again.map(({ data }) => [data.number, data.member]));
    expect(own.map((number) => last.get(number))).toEqual(own.map(() => null));
    expect([...last.values()]).not.toContain(pseudonym);
    expect([...last.values()].filter((member) => member !== null).length).toBeGreaterThan(0);
    const left = await showTables(harness.database.ownerUrl);
    expect(left.filter(({ text }) => text.includes(pseudonym)).map(({ where }) => where)).toEqual([]);
  });
});
