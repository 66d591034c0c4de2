import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Database } from '#platform';
import { WORDING, type Wording } from '../contract/wordings.js';
import { isUnstorable } from '../effects/is-unstorable.js';
import { StderrLogger } from '../http/stderr-logger.js';
import { Catalogue } from '../seed/catalogue.js';
import { DATABASE } from '../store/statement.js';
import { abandonSchedule } from './abandon-schedule.js';
import { applyDueSlice } from './apply-due-slice.js';
import { selectNextDueTime } from './select-next-due-time.js';

/**
 * The clock may be set, and another sandbox on this database may have accepted a schedule and died: nobody is trusted to
 * have told us of everything for longer. Far below the 2^31 ms of which a timer would make one.
 */
const sleepMsMax = 60_000;
/** The database may be away. */
const retryMs = 1_000;

/** Sees to it that schedules happen at their time: sleeps until the next is due, and asks the database at each start. */
@Injectable()
export class Scheduler implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private wakesAt = Infinity;
  private running: Promise<void> | null = null;
  private isNews = false;
  private isStopped = false;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly catalogue: Catalogue,
    @Inject(WORDING) private readonly wording: Wording,
  ) {}

  onApplicationBootstrap(): void {
    this.wake();
  }

  /** Finishes the slice at hand. What is still due happens after the next start. */
  async onModuleDestroy(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** A schedule has been accepted that is due at this time (epoch milliseconds). */
  expect(dueAt: number): void {
    if (this.running !== null) this.isNews = true;
    else if (dueAt < this.wakesAt) this.wake();
  }

  private wake(): void {
    clearTimeout(this.timer);
    if (this.isStopped || this.running !== null) return;
    this.isNews = false;
    this.running = this.applyAllDue()
      .catch((error: unknown) => {
        StderrLogger.write('error', error);
        return Date.now() + retryMs;
      })
      .then((next) => {
        this.running = null;
        this.sleepUntil(this.isNews ? 0 : next);
      });
  }

  private sleepUntil(wakesAt: number): void {
    if (this.isStopped) return;
    const now = Date.now();
    this.wakesAt = Math.min(wakesAt, now + sleepMsMax);
    this.timer = setTimeout(() => this.wake(), Math.max(this.wakesAt - now, 0));
  }

  /** When the next schedule is due after all that were due have happened. */
  private async applyAllDue(): Promise<number> {
    for (;;) {
      const dueAt = (await selectNextDueTime(this.database)) ?? Infinity;
      if (this.isStopped || dueAt > Date.now()) return dueAt;
      await this.applySlice();
    }
  }

  private async applySlice(): Promise<void> {
    const { database, catalogue, wording } = this;
    const begun: { scheduleId: number | null } = { scheduleId: null };
    try {
      await applyDueSlice({ database, catalogue, wording }, (scheduleId) => (begun.scheduleId = scheduleId));
    } catch (error) {
      const { scheduleId } = begun;
      if (scheduleId === null || !isUnstorable(error)) throw error;
      StderrLogger.write('warn', `schedule ${scheduleId} is abandoned: its change cannot be stored`);
      await abandonSchedule(database, scheduleId);
    }
  }
}
