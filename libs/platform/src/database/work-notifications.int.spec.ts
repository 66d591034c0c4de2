import { waitUntil } from '#embedded';
import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import { SystemClock } from '../clock/clock.js';
import type { LogFields, Logger } from '../logger.js';
import { SystemRandom } from '../random.js';
import { LocalWake } from '../wake.js';
import type { Database } from './database.js';
import { PostgresConnection } from './postgres-connection.js';
import { WorkListener, WorkNotifier } from './work-notifications.js';

const application = 'notifications-spec';

let test: TestDatabase;
let other: TestDatabase;

beforeAll(async () => {
  [test, other] = await Promise.all([testDatabase({ migrate: false }), testDatabase({ migrate: false })]);
});

afterAll(async () => {
  await Promise.all([test.dispose(), other.dispose()]);
});

async function connect(url: string, applicationName = 'other-process'): Promise<PostgresConnection> {
  const settings = {
    url,
    poolSize: 2,
    ssl: false,
    applicationName,
    migrations: [],
    onPoolError: () => undefined,
  } as const;
  const connection = new PostgresConnection(settings);
  await connection.connect();
  return connection;
}

/** A process that listens, and what it hears. */
class Process {
  readonly wake = new LocalWake();
  readonly warnings: string[] = [];
  woken = 0;
  private constructor(
    readonly connection: PostgresConnection,
    readonly listener: WorkListener,
  ) {}

  /** @param proofs through which it notifies itself; by default its own database */
  static async start(proofs?: Database): Promise<Process> {
    const connection = await connect(test.url, application);
    const quiet = (): void => undefined;
    const warn = (_fields: LogFields, message: string): void => void process.warnings.push(message);
    const logger: Logger = { debug: quiet, info: quiet, error: quiet, warn };
    const wake = new LocalWake();
    const tools = { clock: new SystemClock(), random: new SystemRandom(), logger, wake };
    const listener = new WorkListener({ connection, database: proofs ?? connection.database, ...tools });
    const process = Object.assign(new Process(connection, listener), { wake });
    wake.onNotify(() => (process.woken += 1));
    listener.start();
    return process;
  }

  async hears(isSo: boolean): Promise<void> {
    await waitUntil(() => this.wake.hearsOthers === isSo, {
      what: `hears others: ${isSo}`,
      timeoutMs: 60_000,
      intervalMs: 1,
    });
  }

  async isWoken(): Promise<void> {
    const before = this.woken;
    await waitUntil(() => this.woken > before, { what: 'to be woken', timeoutMs: 60_000, intervalMs: 1 });
  }

  async stop(): Promise<void> {
    await this.listener.stop();
    await this.connection.close();
  }
}

describe('a process that listens', () => {
  let listening: Process;
  let neighbour: PostgresConnection;

  beforeEach(async () => {
    [listening, neighbour] = await Promise.all([Process.start(), connect(test.url)]);
    await listening.hears(true);
  });

  afterEach(async () => {
    await Promise.all([listening.stop(), neighbour.close()]);
  });

  it('is woken by what another notifies', async () => {
    const woken = listening.isWoken();
    new WorkNotifier(neighbour.database).notify();
    await woken;
    expect(listening.warnings).toEqual([]);
  });

  it('says that it hears nobody once its connection is gone, and comes back', async () => {
    const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1`;
    const gone = listening.hears(false);
    await neighbour.database.execute({ name: 'kill_listener', text: kill }, [application]);
    await gone;
    await listening.hears(true);
    const woken = listening.isWoken();
    new WorkNotifier(neighbour.database).notify();
    await woken;
  });

  it('hears nobody any more when it has stopped, and keeps no connection', async () => {
    await listening.stop();
    expect(listening.wake.hearsOthers).toBe(false);
    const { rows } = await neighbour.database.execute<{ left: number }>(
      { name: 'count_left', text: 'SELECT count(*)::int AS left FROM pg_stat_activity WHERE application_name = $1' },
      [application],
    );
    expect(rows).toEqual([{ left: 0 }]);
  });
});

describe('a process whose LISTEN is taken, but to which nothing is delivered', () => {
  it('knows that it hears nobody, and says so', async () => {
    const elsewhere = await connect(other.url);
    const deaf = await Process.start(elsewhere.database);
    await waitUntil(() => deaf.warnings.length > 0, { what: 'a warning', timeoutMs: 60_000 });
    expect(deaf.warnings).toEqual(['notifications of the database do not arrive, as through a pooler: delivery polls']);
    expect(deaf.wake.hearsOthers).toBe(false);
    await Promise.all([deaf.stop(), elsewhere.close()]);
  });
});

describe('a notifier', () => {
  it('has one statement under way, however often it is called, and none is left out', async () => {
    const answers: (() => void)[] = [];
    const execute = (): Promise<never> => new Promise((resolve) => answers.push(resolve as () => void));
    const notifier = new WorkNotifier({ execute, transaction: () => Promise.reject(new Error('not used')) });
    for (let call = 0; call < 5; call += 1) notifier.notify();
    expect(answers).toHaveLength(1);
    answers.shift()?.();
    await waitUntil(() => answers.length > 0, { what: 'the second statement', timeoutMs: 60_000, intervalMs: 1 });
    answers.shift()?.();
    await notifier.settled();
    expect(answers).toEqual([]);
  });
});
