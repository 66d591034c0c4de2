import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { SqlSession } from '#platform';
import { Database } from '#platform';
import { type Wording, WORDING } from '../contract/wordings.js';
import { applyEffect, isUnstorable } from '../effects/effect-writer.js';
import type { UpdateEffect } from '../effects/effect.js';
import { loadState, saveState, acquireWriterLock } from '../effects/state-store.js';
import { StderrLogger } from '../http/stderr-logger.js';
import { Catalogue, type Program } from '../seed/catalogue.js';
import {
  abandonSchedule,
  saveProgress,
  type Schedule,
  selectDueSchedule,
  selectNextDueTime,
  selectSlice,
  type SlicePass,
  type UnfinishedSchedule,
} from './schedule.js';

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
    private readonly database: Database,
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

/** Requests that come meanwhile wait for one slice at most. */
const sliceSizeMax = 200;

interface SliceSettings {
  readonly database: Database;
  readonly catalogue: Catalogue;
  readonly wording: Wording;
}

interface Slice {
  readonly schedule: UnfinishedSchedule;
  readonly untilPassId: number;
  readonly nowMs: number;
}

/**
 * Applies the next part of the first schedule that is due, as one writer among the others: the passes that match now,
 * each with its entry in the ledger, and how far the schedule has come, in one transaction. So no pass is changed twice,
 * whoever does it and wherever it is killed. `onBegun` learns which schedule it is before anything can go wrong.
 */
function applyDueSlice(settings: SliceSettings, onBegun: (scheduleId: number) => void): Promise<void> {
  return settings.database.transaction('sandbox_scheduled_changes', async (session) => {
    const { lastId } = await acquireWriterLock(session, settings.catalogue);
    const nowMs = Date.now();
    const schedule = await selectDueSchedule(session, nowMs);
    if (schedule === null) return;
    onBegun(schedule.scheduleId);
    await applySlice(session, settings, { schedule, untilPassId: schedule.untilPassId ?? lastId, nowMs });
  });
}

/** A pass whose change is refused (another cardholder holds the value of a unique attribute) stays as it is. */
async function applySlice(session: SqlSession, settings: SliceSettings, slice: Slice): Promise<void> {
  const { schedule, untilPassId, nowMs } = slice;
  const { scheduleId, afterPassId } = schedule;
  const program = settings.catalogue.find(schedule);
  const request = { schedule, afterPassId, untilPassId, sizeMax: sliceSizeMax };
  const passes = program === null ? [] : await selectSlice(session, request);
  const effects = passes.flatMap((pass) =>
    program === null ? [] : [scheduledChange(pass, { schedule, program, wording: settings.wording })],
  );
  const state = await loadState(session, settings.catalogue, effects);
  for (const effect of effects) applyEffect(state, effect, nowMs);
  await saveState(session, state);
  const isDone = passes.length < sliceSizeMax;
  const reached = passes.at(-1)?.passId ?? afterPassId;
  await saveProgress(session, { scheduleId, afterPassId: reached, untilPassId, doneAt: isDone ? nowMs : null });
}

interface ScheduleInForce {
  readonly schedule: Schedule;
  readonly program: Program;
  readonly wording: Wording;
}

/** What a schedule does to one pass. The ledger will name the request that asked for it, and the schedule as its target. */
function scheduledChange({ passId, identity }: SlicePass, inForce: ScheduleInForce): UpdateEffect {
  const { schedule, program, wording } = inForce;
  const { brandId, programId, requestId, arrivedAt, change } = schedule;
  return {
    operation: 'scheduled-change',
    call: {
      operation: 'schedule-update',
      brandId,
      programId,
      targetId: String(schedule.scheduleId),
      requestId,
      arrivedAt,
      // No caller waits for an answer, so its links are not needed.
      origin: '',
      wording,
      enforceUnique: true,
    },
    program,
    identity,
    passId,
    content: change,
    body: change,
  };
}
