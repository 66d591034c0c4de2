import { DeliveryLoop, deliverySettings } from '#outbox';
import type { DeliveryPorts } from '#outbox';
import type { Database } from '#platform';
import { DatabaseError, LocalWake } from '#platform';
import { VirtualClock } from '#test-support';

import type { DaemonMetrics } from '../metrics/daemon-metrics.js';
import { DatabasePresence, silentMsMax, steadyAfterMs } from './clock-watch.js';
import { DaemonProbes } from './probes.js';

const away = new DatabaseError('claim', 'unavailable', { sqlState: null, cause: new Error('refused') });
const hourMs = 3_600_000;
const beatMs = 10_000;
const programs = { tea: { limits: {}, autoPause: {}, lookup: {} } } as unknown as Parameters<DeliveryLoop['start']>[0];

interface Probed {
  readonly clock: VirtualClock;
  readonly presence: DatabasePresence;
  readonly database: Database;
  readonly delivery?: DeliveryLoop;
  readonly metrics?: DaemonMetrics;
  readonly isDoorAlone?: boolean;
}

function probesOf({ clock, presence, database, delivery, metrics, isDoorAlone = false }: Probed): DaemonProbes {
  const storage = { clock, connection: { database } } as unknown as ConstructorParameters<typeof DaemonProbes>[0];
  const roles = { delivery: delivery ?? null, ingest: null, isDoorAlone };
  return new DaemonProbes(storage, { metrics: metrics! }, { presence }, roles);
}

describe('the liveness of a daemon that delivers', () => {
  let clock: VirtualClock;
  let presence: DatabasePresence;
  let probes: DaemonProbes;
  let answer: () => Promise<never>;

  beforeEach(() => {
    clock = new VirtualClock();
    presence = new DatabasePresence(clock);
    answer = () => Promise.reject(away);
    const call = (): Promise<never> => answer();
    const database = { execute: call, transaction: call } as unknown as Database;
    const nothing = (): void => undefined;
    const random = { unit: () => 0.5, uuid: () => 'one', bytes: () => new Uint8Array(0) };
    const ports = { clock, random, database, wake: new LocalWake(), observe: nothing, onFailure: nothing };
    const delivery = new DeliveryLoop(ports as unknown as DeliveryPorts, deliverySettings(10_000));
    delivery.start(programs);
    probes = probesOf({ clock, presence, database, delivery });
  });

  /** Lets time pass while the database answers the clock's questions, or not, and asks the probe all the while. */
  async function problemsIn(ms: number, hears: 'answered' | 'failed' | null): Promise<string[]> {
    const problems = new Set<string>();
    for (let passed = 0; passed < ms; passed += beatMs) {
      await clock.advance(beatMs);
      if (hears !== null) presence[hears]();
      for (const problem of probes.live().problems) problems.add(problem);
    }
    return [...problems];
  }

  it('outlasts a database that refuses for hours, and its return', async () => {
    expect(await problemsIn(2 * hourMs, 'failed')).toEqual([]);
    expect(await problemsIn(hourMs, 'answered')).toEqual([]);
  });

  it('outlasts a database that is frozen for hours, with statements under way, and its return', async () => {
    const frozen = Promise.withResolvers<never>();
    answer = () => frozen.promise;
    expect(await problemsIn(2 * hourMs, null)).toEqual([]);
    answer = () => Promise.reject(away);
    presence.answered();
    expect(probes.live().problems).toEqual([]);
    frozen.reject(away);
    expect(await problemsIn(hourMs, 'answered')).toEqual([]);
  });

  it('ends where the database answers others and a statement of ours never ends', async () => {
    answer = () => new Promise(() => undefined);
    expect(await problemsIn(4 * 60_000, 'answered')).toEqual([]);
    expect(await problemsIn(2 * 60_000, 'answered')).toEqual(['delivery: a statement does not end']);
  });

  it('is ready without Postgres where it has the door alone, which shops reach by that', async () => {
    const execute = (): Promise<never> => Promise.reject(away);
    const asked = probesOf({ clock, presence, isDoorAlone: true, database: { execute } as unknown as Database });
    expect((await asked.ready()).problems).toEqual(['the start is not completed']);
    asked.startCompleted();
    expect((await asked.ready()).problems).toEqual([]);
  });

  it('asks the database once for all who ask meanwhile whether it is ready, and ten times a second at most', async () => {
    let questions = 0;
    const execute = (): Promise<never> => {
      questions += 1;
      return Promise.reject(away);
    };
    const asked = probesOf({ clock, presence, database: { execute } as unknown as Database });
    asked.startCompleted();
    const answers = await Promise.all([asked.ready(), asked.ready(), asked.ready()]);
    expect(new Set(answers.flatMap(({ problems }) => problems))).toEqual(new Set(['Postgres does not answer']));
    await clock.advance(99);
    await asked.ready();
    expect(questions).toBe(1);
    await clock.advance(1);
    await asked.ready();
    expect(questions).toBe(2);
  });

  it('makes metrics twice a second at most, whoever asks how often, and a failure is not kept', async () => {
    let made = 0;
    let failure: Error | null = null;
    const registry = {
      contentType: 'text/plain',
      metrics: () => {
        made += 1;
        return failure === null ? Promise.resolve(`made ${made}`) : Promise.reject(failure);
      },
    };
    const metrics = { registry } as unknown as DaemonMetrics;
    const scraped = probesOf({ clock, presence, database: {} as Database, metrics });
    const texts = async (): Promise<string[]> => {
      const all = await Promise.all([scraped.metrics(), scraped.metrics()]);
      return all.map(({ text }) => text);
    };
    expect(await texts()).toEqual(['made 1', 'made 1']);
    await clock.advance(499);
    expect(await texts()).toEqual(['made 1', 'made 1']);
    await clock.advance(1);
    failure = new Error('no');
    await expect(texts()).rejects.toThrow('no');
    failure = null;
    expect(await texts()).toEqual(['made 3', 'made 3']);
  });

  it('takes a database for steady when it has answered for a while, and for gone when it is silent', async () => {
    const states = (): boolean[] => [presence.isThere, presence.isSteady];
    expect(states()).toEqual([true, false]);
    await clock.advance(silentMsMax);
    presence.answered();
    await clock.advance(silentMsMax);
    expect(silentMsMax * 2).toBeGreaterThanOrEqual(steadyAfterMs);
    expect(states()).toEqual([true, true]);
    await clock.advance(1);
    expect(states()).toEqual([false, false]);
    presence.answered();
    expect(states()).toEqual([true, false]);
    presence.failed();
    expect(states()).toEqual([false, false]);
  });
});
