import type { Notice, NoticesEnvironment } from '#contracts';
import { PauseRepository } from '#intents';
import type { TestStore } from '#intents/testing';
import {
  begin,
  claimOne,
  completion,
  now,
  program,
  purchase,
  record,
  SettableClock,
  stepOf,
  testStore,
  Till,
} from '#intents/testing';
import { Clock, Database, Random } from '#platform';
import { isSignedBy, MailReceiver, WebhookReceiver } from '#test-support';

import { servicesOver } from '../testing/ports.js';
import { gatherMs } from './compose-notice.js';
import { NoticeRepository } from './notice-repository.js';
import { NoticeService } from './notice-service.js';
import { NoticeSettings } from './notice-settings.js';
import { attemptsMax, claimMs, lookMs, NoticeWork } from './notice-work.js';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const minuteMs = 60_000;
const everyMs = 15 * minuteMs;
const quiet = { warn: () => undefined };
const operator = { name: 'ada', role: 'operator', programs: null, address: '10.0.0.1' } as const;

/** Nothing goes by the wall: an overview is as fresh as this clock says. */
class SteppedClock extends SettableClock {
  override monotonic(): number {
    return this.at;
  }
}

interface Replica {
  readonly work: NoticeWork;
  readonly service: NoticeService;
}

let store: TestStore;
let hooks: WebhookReceiver;
let mails: MailReceiver;
let clock: SteppedClock;
let settings: NoticesEnvironment;
let replicas: readonly [Replica, Replica];
let pauses: PauseRepository;

async function replica(): Promise<Replica> {
  const app = await servicesOver([
    ...[[Database, store.database] as const, [Clock, clock] as const, [Random, store.random] as const],
    [NoticeSettings, { current: () => settings }],
  ]);
  return { work: app.get(NoticeWork), service: app.get(NoticeService) };
}

beforeEach(async () => {
  [store, hooks, mails] = await Promise.all([testStore(4), WebhookReceiver.open(), MailReceiver.open()]);
  clock = new SteppedClock(now);
  pauses = new PauseRepository(store.database);
  settings = {
    webhook: { url: { value: hooks.url, file: null }, secret: { value: secret, file: null } },
    ...{ mail: null, ca: null, consoleUrl: 'https://loyaltyd.example.org' },
    ...{ doubts: 2, money: { EUR: '200' }, ageMinutes: 10, everyMinutes: 15 },
  };
  replicas = [await replica(), await replica()];
});

afterEach(async () => {
  await Promise.all([hooks.close(), mails.close()]);
  await store.close();
});

/** Every replica does what it has to do now, all at once. */
async function turn(who: readonly Replica[] = replicas): Promise<void> {
  await Promise.all(
    who.map(async ({ work }) => {
      while ((await work.turn(quiet)) === 0);
    }),
  );
}

const stepsMax = 30;

/** Time passes in steps of a look, longer ones where it is long, and every replica looks at each. */
async function pass(ms: number, who: readonly Replica[] = replicas): Promise<void> {
  const stepMs = ms > 2 * minuteMs ? Math.max(minuteMs, ms / stepsMax) : lookMs;
  for (const end = clock.at + ms; clock.at < end;) {
    clock.at = Math.min(end, clock.at + stepMs);
    await turn(who);
  }
}

const noticesIn = (): Notice[] => hooks.received.map(({ body }) => JSON.parse(body) as Notice);
const begunIn = ({ data }: Notice): string[] => data.begun.map(({ kind, factor }) => `${kind} ${factor ?? ''}`.trim());
const overIn = ({ data }: Notice): string[] => data.over.map(({ kind, factor }) => `${kind} ${factor ?? ''}`.trim());

const held = {
  program,
  operation: 'transaction',
  by: 'replica',
  reason: 'the partner failed transaction (refused)',
} as const;

async function hold(factor: `store:${string}`): Promise<void> {
  await pauses.set({ ...held, factor, automatic: true, now: clock.at });
}

async function lift(factor: `store:${string}`): Promise<void> {
  await pauses.lift({ ...held, factor, now: clock.at });
}

describe('an automatic pause', () => {
  it('is told once, by whichever replica comes first, signed and with where to look; and once when it is over', async () => {
    await turn();
    await hold('store:lisboa');
    await pass(gatherMs + lookMs);
    expect(hooks.received).toHaveLength(1);
    const [hook] = hooks.received;
    expect(hook && isSignedBy(hook, secret)).toBe(true);
    expect(hook?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(Number(hook?.headers['webhook-timestamp'])).toBe(Math.floor(clock.at / 1_000));
    const [notice] = noticesIn();
    expect(notice?.data.begun).toMatchObject([
      {
        ...{ kind: 'automatic-pause', program, operation: 'transaction', factor: 'store:lisboa', reason: held.reason },
        link: 'https://loyaltyd.example.org/pauses',
      },
    ]);
    await pass(2 * everyMs);
    expect(hooks.received).toHaveLength(1);
    await lift('store:lisboa');
    await pass(gatherMs + lookMs);
    expect(noticesIn().map(overIn)).toEqual([[], ['automatic-pause store:lisboa']]);
    await pass(2 * everyMs);
    expect(hooks.received).toHaveLength(2);
  });

  it('that ends before it was told is not told at all', async () => {
    await hold('store:lisboa');
    await pass(lookMs);
    await lift('store:lisboa');
    await pass(everyMs);
    expect(hooks.received).toEqual([]);
  });

  it('is told together with what begins with it, and what begins later a quarter of an hour later', async () => {
    await hold('store:lisboa');
    await pass(lookMs);
    await hold('store:graz');
    await pass(gatherMs);
    await hold('store:wien');
    await pass(everyMs - minuteMs);
    expect(noticesIn().map(begunIn)).toEqual([['automatic-pause store:lisboa', 'automatic-pause store:graz']]);
    await pass(2 * minuteMs);
    expect(noticesIn().map(begunIn).slice(1)).toEqual([['automatic-pause store:wien']]);
  });

  it('is neither told again nor forgotten by processes that start anew', async () => {
    await hold('store:lisboa');
    await pass(gatherMs + lookMs);
    replicas = [await replica(), await replica()];
    await pass(everyMs);
    expect(hooks.received).toHaveLength(1);
    await lift('store:lisboa');
    replicas = [await replica(), await replica()];
    await pass(gatherMs + lookMs);
    expect(noticesIn().map(overIn)).toEqual([[], ['automatic-pause store:lisboa']]);
  });

  it('that is over and back while that was being told is told once more', async () => {
    await hold('store:lisboa');
    await pass(2 * everyMs);
    hooks.answer = 503;
    await lift('store:lisboa');
    await pass(gatherMs + lookMs);
    await hold('store:lisboa');
    hooks.answer = 204;
    await pass(2 * everyMs);
    const told = noticesIn().map((notice) => [begunIn(notice).length, overIn(notice).length].join());
    // The one that says that it is over came twice.
    expect(told).toEqual(['1,0', '0,1', '0,1', '1,0']);
  });
});

let doubted = 0;

/** So many purchases are parked, each in a lane of its own, as those of which nobody can tell. */
async function doubt(count: number): Promise<void> {
  const till = new Till(store);
  for (const end = doubted + count; doubted < end; doubted += 1) {
    await till.record(purchase(`p${doubted}`, `m${doubted}`));
    const lease = await begin(store, await claimOne(store));
    const events = [
      { type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: null },
      { type: 'IntentParked', at: now, reason: 'unknown-outcome', lane: 'continue' },
    ] as const;
    await record(
      store,
      stepOf(lease, { completion: completion(lease, 'settle', { events: [...events], dueAt: now }) }),
    );
  }
}

describe('doubts and held money', () => {
  it('are told when they are many enough, and have lasted', async () => {
    await doubt(1);
    await pass(20 * minuteMs);
    expect(hooks.received).toEqual([]);
    await doubt(3);
    await pass(10 * minuteMs);
    expect(hooks.received).toEqual([]);
    await pass(2 * minuteMs);
    const [notice] = noticesIn();
    expect(notice?.data.begun).toMatchObject([
      { kind: 'doubts', program, intents: 4 },
      { kind: 'held-money', program, intents: 4, money: { currency: 'EUR' } },
    ]);
    expect(JSON.stringify(notice)).not.toMatch(/m0|p0|Ada/);
    settings = { ...settings, doubts: 5, money: {} };
    await pass(everyMs);
    expect(noticesIn().map(overIn)).toEqual([[], ['doubts', 'held-money']]);
  });
});

describe('a notice that is not taken', () => {
  const undelivered = () => new NoticeRepository(store.database).findUndelivered();

  it.each([
    [503, 'http-503'],
    [302, 'http-302'],
    [410, 'http-410'],
  ] as const)('after %i is tried again with the same id, less and less often, and shown', async (answer, problem) => {
    hooks.answer = answer;
    await hold('store:lisboa');
    await pass(gatherMs + lookMs);
    expect(await undelivered()).toMatchObject([{ channel: 'webhook', notices: 1, isGivenUp: false, problem }]);
    await pass(3 * minuteMs);
    expect(hooks.received).toHaveLength(3);
    hooks.answer = 204;
    await pass(10 * minuteMs);
    const ids = hooks.received.map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).toEqual([4, 1]);
    expect(hooks.received.every((hook) => isSignedBy(hook, secret))).toBe(true);
    expect(await undelivered()).toEqual([]);
  });

  it('is given up in the end, and what it said is told by the next one', async () => {
    hooks.answer = 500;
    await hold('store:lisboa');
    await pass(90 * minuteMs);
    await pass(60 * minuteMs);
    expect(await undelivered()).toMatchObject([{ isGivenUp: true, problem: 'http-500' }]);
    const ids = hooks.received.map(({ headers }) => headers['webhook-id']);
    expect(ids.filter((id) => id === ids[0])).toHaveLength(attemptsMax);
    hooks.answer = 204;
    await pass(60 * minuteMs);
    expect(begunIn(noticesIn().at(-1)!)).toEqual(['automatic-pause store:lisboa']);
    expect(await undelivered()).toEqual([]);
  });

  it('by a process that dies while it sends is sent by another, once its claim has ended', async () => {
    hooks.answer = 'silent';
    await hold('store:lisboa');
    const [dying, other] = replicas;
    await pass(gatherMs, [dying]);
    clock.at += lookMs;
    const dead = turn([dying]);
    while (hooks.received.length === 0) await new Promise((resolve) => setImmediate(resolve));
    dying.work.stop();
    await dead;
    hooks.answer = 204;
    await pass(claimMs - lookMs, [other]);
    expect(hooks.received).toHaveLength(1);
    await pass(lookMs, [other]);
    const ids = hooks.received.map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  });

  it('holds up no other channel', async () => {
    hooks.answer = 500;
    const relay = { host: '127.0.0.1', port: mails.port, isTls: false, needsTls: false, login: null };
    settings = { ...settings, mail: { relay, from: 'loyaltyd@example.org', to: ['ops@example.org'] } };
    await hold('store:lisboa');
    await pass(gatherMs + lookMs);
    await lift('store:lisboa');
    await pass(everyMs);
    expect(mails.received.map(({ content }) => /^Subject: (.*)/m.exec(content)?.[1]?.slice(0, 27))).toEqual([
      'loyaltyd: Delivery has paus',
      'loyaltyd: Over: Delivery ha',
    ]);
  });
});

describe('a mail', () => {
  const relay = { host: '127.0.0.1', isTls: false, needsTls: false, login: { user: 'loyaltyd', password: 'hunter2' } };
  const byMail = (more: object = {}): void => {
    const mail = {
      relay: { ...relay, port: mails.port, ...more },
      from: 'loyaltyd <l@example.org>',
      to: ['a@example.org', 'b@example.org'],
    };
    settings = { ...settings, webhook: null, mail };
  };

  it('says the same, to all, by the login of the relay', async () => {
    byMail();
    await hold('store:lisboa');
    await pass(gatherMs + lookMs);
    expect(mails.received).toMatchObject([{ from: 'l@example.org', to: ['a@example.org', 'b@example.org'] }]);
    expect(mails.logins).toEqual(['loyaltyd:hunter2']);
    expect(mails.received[0]?.content).toMatch(/^Auto-Submitted: auto-generated$/m);
    expect(mails.received[0]?.content).toContain('https://loyaltyd.example.org/pauses');
  });

  it('that a relay refuses shows its code and none of its words', async () => {
    byMail();
    mails.answer = '550 5.1.8 l@example.org: not from hunter2';
    const { deliveries } = await replicas[0].service.try({ reason: 'does it arrive' }, operator);
    expect(deliveries).toMatchObject([{ channel: 'mail', state: 'given-up', problem: 'smtp-550', attempts: 1 }]);
  });

  it('is not sent without TLS where that is needed', async () => {
    byMail({ needsTls: true });
    const { deliveries } = await replicas[0].service.try({ reason: 'does it arrive' }, operator);
    expect(deliveries).toMatchObject([
      { state: 'given-up', problem: expect.stringMatching(/^(?:ETLS|smtp-502)$/) as string },
    ]);
    expect([mails.received, mails.logins]).toEqual([[], []]);
  });
});

describe('a trial', () => {
  it('is sent at once, once, and is in the audit', async () => {
    const { deliveries } = await replicas[0].service.try({ reason: 'does it arrive' }, operator);
    expect(deliveries).toMatchObject([{ channel: 'webhook', state: 'delivered', isTrial: true, problem: null }]);
    expect(noticesIn()).toMatchObject([{ type: 'loyaltyd.trial', data: { begun: [], over: [] } }]);
    expect(await store.sql('SELECT actor, action, reason FROM operator_action')).toEqual([
      { actor: 'ada', action: 'notices.trial', reason: 'does it arrive' },
    ]);
    hooks.answer = 500;
    clock.at += 1_000;
    expect((await replicas[0].service.try({ reason: 'again' }, operator)).deliveries).toMatchObject([
      { state: 'given-up', problem: 'http-500' },
    ]);
    await pass(everyMs);
    expect(hooks.received).toHaveLength(2);
    expect(await replicas[0].service.list()).toMatchObject({
      ...{ channels: ['webhook'], conditions: [] },
      deliveries: [{ state: 'given-up' }, { state: 'delivered' }],
    });
  });

  it('waits for nobody who never answers', async () => {
    hooks.answer = 'silent';
    const trying = replicas[0].service.try({ reason: 'does it arrive' }, operator);
    await expect(replicas[0].service.try({ reason: 'and now' }, operator)).rejects.toMatchObject({
      options: { status: 409, code: 'trial-under-way' },
    });
    expect((await trying).deliveries).toMatchObject([{ state: 'given-up', problem: 'timeout' }]);
  });

  it('is refused where nobody would be told', async () => {
    const nobody = await servicesOver([[NoticeSettings, { current: () => null }]]);
    await expect(nobody.get(NoticeService).try({ reason: 'why' }, operator)).rejects.toMatchObject({
      options: { status: 409, code: 'no-notices' },
    });
  });
});

it('what stands is listed as it is told', async () => {
  await hold('store:lisboa');
  await pass(lookMs);
  expect(await replicas[0].service.list()).toMatchObject({
    conditions: [
      { kind: 'automatic-pause', factor: 'store:lisboa', text: expect.stringContaining('lisboa') as string },
    ],
    deliveries: [],
  });
});
