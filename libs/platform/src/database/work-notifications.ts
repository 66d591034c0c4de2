import { BackgroundLoop, sleepUnlessAborted } from '../background-loop.js';
import type { Clock } from '../clock/clock.js';
import type { Logger } from '../logger.js';
import type { Random } from '../random.js';
import type { LocalWake } from '../wake.js';
import type { Database, SqlStatement } from './database.js';
import type { PostgresConnection } from './postgres-connection.js';

/**
 * Processes tell each other by Postgres' LISTEN and NOTIFY that work is due. Nothing rests on it: a notification may be
 * lost, and delivery looks by itself every second or so all the same.
 */
const channel = 'loyaltyd_work';
const workPayload = 'work';

const notifyStatement: SqlStatement = { name: 'notify_work', text: 'SELECT pg_notify($1, $2)' };

/**
 * Tells other processes, after the commit, that work is due: within the transaction NOTIFY makes commits wait for each
 * other. However often it is called, one statement at a time is under way.
 */
export class WorkNotifier {
  private isWanted = false;
  private telling: Promise<void> | null = null;

  constructor(private readonly database: Database) {}

  notify(): void {
    this.isWanted = true;
    this.telling ??= this.tell();
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.telling;
  }

  private async tell(): Promise<void> {
    while (this.isWanted) {
      this.isWanted = false;
      // A process that was not notified looks by itself.
      await this.database.execute(notifyStatement, [channel, workPayload]).catch(() => undefined);
    }
    this.telling = null;
  }
}

/** Whether notifications still arrive is found out so often, by one of our own. */
const proofEveryMs = 30_000;
/** One of our own must arrive within this time. */
const proofMsMax = 5_000;
/** Where they do not arrive, as through a pooler in transaction mode, it is tried again so often. */
const deafRetryMs = 60_000;
/** A connection is replaced after so many proofs: 20 minutes, so that none outlives a changed password for long. */
const proofsPerConnection = 40;

interface WorkListenerTools {
  /** One connection of it is ours as long as we listen. */
  readonly connection: Pick<PostgresConnection, 'listen'>;
  readonly database: Database;
  readonly wake: LocalWake;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

interface Listening {
  readonly close: () => void;
  proofsLeft: number;
}

/**
 * Hears what other processes notify, and wakes this one. A pooler may take LISTEN and deliver nothing, and a broken
 * connection is silent: only a notification of our own that has arrived shows that others' do.
 */
export class WorkListener extends BackgroundLoop {
  private listening: Listening | null = null;
  private awaited: { readonly payload: string; readonly arrive: () => void } | null = null;
  private isKnownDeaf = false;

  constructor(private readonly tools: WorkListenerTools) {
    const { clock, random, logger } = tools;
    super({
      workOnce: () => this.prove(),
      close: () => {
        this.letGo();
        return Promise.resolve();
      },
      failureMessage: 'work of other processes cannot be heard: delivery polls',
      ...{ clock, random, logger },
    });
  }

  private async prove(): Promise<number> {
    try {
      const { wake } = this.tools;
      const heard = wake.hearsOthers;
      this.listening ??= await this.listen();
      const hears = await this.hearsItself();
      wake.hearsOthers = hears;
      // What came before we could hear it.
      if (hears && !heard) wake.notify();
      if (hears) return this.proven(this.listening);
    } catch (error) {
      this.letGo();
      throw error;
    }
    this.letGo();
    if (!this.isKnownDeaf) {
      this.tools.logger.warn({}, 'notifications of the database do not arrive, as through a pooler: delivery polls');
    }
    this.isKnownDeaf = true;
    return deafRetryMs;
  }

  private proven(listening: Listening): number {
    this.isKnownDeaf = false;
    listening.proofsLeft -= 1;
    if (listening.proofsLeft > 0) return proofEveryMs;
    this.letGo();
    return 0;
  }

  private async listen(): Promise<Listening> {
    const close = await this.tools.connection.listen(channel, {
      heard: (payload) => {
        this.heard(payload);
      },
      ended: () => {
        this.letGo();
        this.wake();
      },
    });
    return { close, proofsLeft: proofsPerConnection };
  }

  private async hearsItself(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const payload = this.tools.random.uuid();
    const arrive = (): void => {
      resolve(true);
    };
    this.awaited = { payload, arrive };
    const giveUp = new AbortController();
    try {
      await this.tools.database.execute(notifyStatement, [channel, payload]);
      const tooLate = sleepUnlessAborted(this.tools.clock, proofMsMax, giveUp.signal);
      return await Promise.race([promise, tooLate.then(() => false)]);
    } finally {
      giveUp.abort();
      this.awaited = null;
    }
  }

  private heard(payload: string): void {
    if (payload === workPayload) this.tools.wake.notify();
    else if (payload === this.awaited?.payload) this.awaited.arrive();
  }

  private letGo(): void {
    this.tools.wake.hearsOthers = false;
    this.listening?.close();
    this.listening = null;
  }
}
