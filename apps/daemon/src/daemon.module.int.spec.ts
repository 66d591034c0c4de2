import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FastifyAdapter } from '@nestjs/platform-fastify';

import { DeliveryLoop, DeliveryModule } from '#outbox';
import type { EmbeddedBroker } from '#embedded';
import { startEmbeddedBroker } from '#embedded';
import { GatewayModule } from '#gateway';
import { KafkaBatchServer } from '#kafka';
import { LiveFeed } from '#operations';
import type { Logger } from '#platform';
import { BackgroundLoop, ClockAnchor, PostgresConnection } from '#platform';
import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import { LiveEnvironment } from './environment/live-environment.js';
import { drain } from './lifecycle/application.js';
import { DaemonProbes } from './observation/probes.js';
import { PlatformModule } from './platform.module.js';
import { startDaemon } from './run-daemon.js';

/** What each loop does, by what it complains of. */
const loops: Readonly<Record<string, string>> = {
  'dead letters were not published': 'dead letters',
  'erasures were not finished': 'erasures',
  'how far ingest is behind could not be told': 'lag',
  'how long the partner took was not written down': 'calls',
  'it was not looked whether there is something to tell': 'notices',
  'jobs were not carried on': 'jobs',
  'outcomes were not published': 'outcomes',
  'settled intents were not counted': 'tally',
  'the audit was not published': 'audit',
  'the database could not be looked at': 'database figures',
  'the minutes were not counted': 'minutes',
  'the cards of a program that has moved were not forgotten': 'moves',
  'the other processes were not told which programs file is in force': 'programs watch',
  'what files hold could not be checked': 'files',
  'work of other processes cannot be heard: delivery polls': 'listener',
};

function loopName(loop: unknown): string {
  const { failureMessage } = (loop as { readonly options: { readonly failureMessage: string } }).options;
  return loops[failureMessage] ?? failureMessage;
}

/** Begun, or over: in groups of what was under way together. */
interface Step {
  readonly name: string;
  readonly isOver: boolean;
}

/** What was begun before all that was begun earlier was over stands in one group. */
function groups(steps: readonly Step[]): string[][] {
  const found: string[][] = [];
  let underWay = 0;
  for (const { name, isOver } of steps) {
    if (isOver) underWay -= 1;
    else {
      if (underWay === 0) found.push([]);
      found.at(-1)?.push(name);
      underWay += 1;
    }
  }
  return found.map((group) => group.toSorted());
}

const turnsLate = 5;

/** Ends a few turns later than the work, so that whoever does not wait for it is found out. */
async function late(work: Promise<unknown>, then: () => void): Promise<unknown> {
  try {
    return await work;
  } finally {
    for (let turn = 0; turn < turnsLate; turn += 1) await setImmediate();
    then();
  }
}

describe('a daemon', () => {
  let broker: EmbeddedBroker;
  let database: TestDatabase;
  let folder: string;
  let steps: Step[] = [];

  /** Notes each call of a method, and when what it began is over. */
  function note<T extends object>(prototype: T, method: keyof T & string, name: (self: unknown) => string): void {
    const original = prototype[method] as (...args: unknown[]) => unknown;
    const over = (step: string): void => void steps.push({ name: step, isOver: true });
    jest.spyOn(prototype, method as never).mockImplementation(function (this: unknown, ...args: unknown[]) {
      const step = name(this);
      steps.push({ name: step, isOver: false });
      const result = original.apply(this, args);
      if (result instanceof Promise) return late(result, () => over(step)) as never;
      over(step);
      return result as never;
    });
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'loyaltyd-order-'));
    writeFileSync(join(folder, 'programs.yaml'), 'programs: { tea: { brandId: 1, programId: 2 } }');
    [broker, database] = await Promise.all([startEmbeddedBroker({ topics: [] }), testDatabase()]);
    note(KafkaBatchServer.prototype, 'listen', () => 'consumer');
    note(DeliveryLoop.prototype, 'start', () => 'delivery');
    note(BackgroundLoop.prototype, 'start', loopName);
    note(FastifyAdapter.prototype, 'listen', () => 'http');
    note(DaemonProbes.prototype, 'startCompleted', () => 'ready');
    note(LiveFeed.prototype, 'close', () => 'streams');
    note(KafkaBatchServer.prototype, 'close', () => 'consumer');
    note(DeliveryLoop.prototype, 'drain', () => 'delivery');
    note(BackgroundLoop.prototype, 'stop', loopName);
    note(FastifyAdapter.prototype, 'close', () => 'http');
    note(ClockAnchor.prototype, 'stop', () => 'clock');
    note(GatewayModule.prototype, 'onApplicationShutdown', () => 'gateway');
    note(PostgresConnection.prototype, 'close', () => 'database');
    note(PlatformModule.prototype, 'onApplicationShutdown', () => 'traces');
  });

  beforeEach(() => {
    steps = [];
  });

  afterAll(async () => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
    await Promise.all([broker.stop(), database.dispose()]);
  });

  const quiet = (): void => undefined;
  const logger: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const partner = {
    WALLET_BASE_URL: 'http://127.0.0.1:1/brands',
    WALLET_AUTH_URL: 'http://127.0.0.1:1',
    WALLET_CLIENT_ID: 'id',
    WALLET_CLIENT_SECRET: 'secret',
    WALLET_SCOPE: 'admin',
  };

  async function start(
    roles: string,
    more: Readonly<Record<string, string>> = partner,
  ): Promise<NestFastifyApplication> {
    const opened = LiveEnvironment.open({
      LOYALTYD_ROLES: roles,
      LOYALTYD_ENCRYPTION_KEY: Buffer.from([...Array(32).keys()]).toString('base64'),
      LOYALTYD_PROGRAMS: join(folder, 'programs.yaml'),
      DATABASE_URL: database.url,
      KAFKA_BROKERS: broker.brokers,
      OPS_HOST: '127.0.0.1',
      OPS_PORT: '0',
      OPS_TOKENS: `ann:admin:${'a'.repeat(64)}`,
      ...more,
    });
    if (!opened.ok) throw new Error(opened.errors.join());
    const calmStart = { stopping: new AbortController().signal, restore: null };
    return startDaemon({ live: opened.live, logger, start: calmStart });
  }

  const stop = async (app: NestFastifyApplication): Promise<number> => drain(app, 60_000, logger);
  const namesOf = (all: readonly Step[]): string[] => all.flatMap(({ name, isOver }) => (isOver ? [] : [name]));

  describe('starts what each role needs', () => {
    const figures = ['tally', 'minutes', 'database figures'];
    /** A loop a kind of jobs. */
    const operators = ['jobs', 'notices'];

    it.each<readonly [string, readonly string[]]>([
      ['ingest', ['consumer', 'files', 'lag', 'dead letters', 'erasures', 'moves', 'programs watch']],
      ['delivery', ['files', 'calls', 'outcomes', 'audit', 'delivery', 'listener', 'moves', 'programs watch']],
      ['operations', ['files', ...figures, 'moves', 'programs watch', ...operators]],
      [
        'ingest,delivery,operations',
        [
          ...['consumer', 'files', 'calls', 'lag', ...figures, 'outcomes', 'audit', 'delivery'],
          ...['dead letters', 'erasures', 'moves', 'programs watch', 'listener', ...operators],
        ],
      ],
    ])('%s, the consumer first and the server last', async (roles, order) => {
      const app = await start(roles);
      expect([...new Set(namesOf(steps))]).toEqual([...order, 'http', 'ready']);
      await app.close();
    });
  });

  describe('stops all intake at once, ends what is under way, then what tells of it, and closes the database last', () => {
    const figures = ['database figures', 'minutes', 'tally'];
    const operators = ['jobs', 'moves', 'notices', 'programs watch', 'streams'];

    // Nest closes the consumer once more, with the server.
    const served = [['http'], ['consumer'], ['dead letters', 'erasures'], ['clock']];

    it.each<readonly [string, Readonly<Record<string, string>>, readonly (readonly string[])[]]>([
      ['ingest', {}, [['consumer', 'moves', 'programs watch'], ['lag'], ['files'], ...served]],
      [
        'delivery',
        partner,
        [
          ['delivery', 'listener', 'moves', 'programs watch'],
          ['audit', 'outcomes'],
          ['calls'],
          ['files'],
          ['http'],
          ['clock'],
          ['gateway'],
        ],
      ],
      ['operations', {}, [operators, figures, ['files'], ['http'], ['clock']]],
      ['operations', partner, [operators, figures, ['files'], ['http'], ['clock'], ['gateway']]],
      [
        'ingest,delivery',
        partner,
        [
          ['consumer', 'delivery', 'listener', 'moves', 'programs watch'],
          ...[['audit', 'outcomes'], ['calls', 'lag'], ['files'], ...served, ['gateway']],
        ],
      ],
      [
        'ingest,delivery,operations',
        partner,
        [
          ['consumer', 'delivery', 'listener', ...operators].toSorted(),
          ...[
            ['audit', 'outcomes'],
            ['calls', 'database figures', 'lag', 'minutes', 'tally'],
            ['files'],
            ...served,
            ['gateway'],
          ],
        ],
      ],
    ])('%s', async (roles, more, order) => {
      const app = await start(roles, more);
      steps = [];
      expect(await stop(app)).toBe(0);
      expect(groups(steps).map((group) => [...new Set(group)])).toEqual([...order, ['database'], ['traces']]);
    });
  });

  it('that cannot end something ends the rest all the same, and says so by its exit code', async () => {
    const app = await start('delivery');
    steps = [];
    const broken = jest.spyOn(DeliveryModule.prototype, 'beforeApplicationShutdown');
    broken.mockImplementationOnce(() => Promise.reject(new Error('broken')));
    expect(await stop(app)).toBe(1);
    // Nobody waits for what was to end there, so that it may be over whenever it likes.
    const begun = steps.filter(({ isOver }) => !isOver).map(({ name }) => name);
    expect(begun.slice(-2)).toEqual(['database', 'traces']);
  });
});
