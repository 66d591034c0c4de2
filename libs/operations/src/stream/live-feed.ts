import type { OnModuleDestroy } from '@nestjs/common';
import { Injectable } from '@nestjs/common';

import type { CancelTimer } from '#platform';
import { Clock } from '#platform';

import type { ProgramLimit } from '../access/operator.js';
import { ApiProblem } from '../problems/api-problem.js';
import { StatsService } from '../stats/stats-service.js';
import { ChangeSources, changesText, heartbeatText, LiveChanges } from './live-changes.js';

/** Something done again and again; the next time is counted from when the last one has ended. */
interface RepeatingTask {
  readonly everyMs: number;
  /** Must not reject. */
  readonly task: () => Promise<void>;
}

/** Timers that run only while they are wanted. */
class RepeatingTimers {
  /** Null while stopped. */
  private cancels: Map<RepeatingTask, CancelTimer> | null = null;

  constructor(
    private readonly clock: Pick<Clock, 'after'>,
    private readonly tasks: readonly RepeatingTask[],
  ) {}

  /** Harmless while they run. */
  start(): void {
    if (this.cancels !== null) return;
    this.cancels = new Map();
    for (const task of this.tasks) this.wait(task, this.cancels);
  }

  stop(): void {
    for (const cancel of this.cancels?.values() ?? []) cancel();
    this.cancels = null;
  }

  private wait(repeated: RepeatingTask, run: Map<RepeatingTask, CancelTimer>): void {
    const cancel = this.clock.after(repeated.everyMs, () => {
      void repeated.task().finally(() => {
        if (this.cancels === run) this.wait(repeated, run);
      });
    });
    run.set(repeated, cancel);
  }
}

/** What may lie here for a viewer, in bytes, beyond what its connection holds: a viewer that reads too slowly is disconnected. */
export const viewerBacklogBytesMax = 262_144;

/** The part of an HTTP answer that a viewer is written to. */
interface ViewerAnswer {
  readonly destroyed: boolean;
  readonly writableLength: number;
  write(text: string): unknown;
  end(): unknown;
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/** For how long a viewer may watch. */
interface ViewerTerms {
  readonly limit: ProgramLimit;
  readonly clock: Clock;
  readonly endsInMs: number;
  readonly isStillIn?: (() => boolean) | undefined;
  /** Called once, however it ends. */
  readonly onOver: () => void;
}

/** One open stream. */
class LiveViewer {
  private isOver = false;
  private readonly stopWatch: CancelTimer;

  constructor(
    private readonly answer: ViewerAnswer,
    private readonly terms: ViewerTerms,
  ) {
    const { clock, endsInMs, onOver } = terms;
    this.stopWatch = clock.after(endsInMs, () => {
      this.end();
    });
    answer.once('close', () => {
      if (!this.isOver) this.over();
      onOver();
    });
  }

  get limit(): ProgramLimit {
    return this.terms.limit;
  }

  /** What cannot be written soon is not kept: its viewer comes back and is sent how things stand. */
  write(text: string): void {
    if (this.isOver) return;
    if (this.answer.writableLength > viewerBacklogBytesMax) this.drop();
    else this.answer.write(text);
  }

  /** At once: who has not read everything by now will not be waited for. */
  end(): void {
    if (this.isOver) return;
    this.over();
    if (this.answer.writableLength > 0) this.answer.destroy();
    else this.answer.end();
  }

  /** A viewer whose token was revoked is disconnected. */
  endUnlessAdmitted(): void {
    if (this.terms.isStillIn?.() === false) this.end();
  }

  private drop(): void {
    this.over();
    this.answer.destroy();
  }

  private over(): void {
    this.isOver = true;
    this.stopWatch();
  }
}

/** Streams open at once in one process. */
export const viewersMax = 100;
/** How often changes are read, while there is a viewer. */
export const pollMs = 2_000;
export const heartbeatMs = 15_000;
/** A stream ends after so long: a viewer that comes back shows its token again. */
export const streamMsMax = 3_600_000;

const retrySeconds = '5';

function unavailable(code: string, title: string): ApiProblem {
  return new ApiProblem({ status: 503, code, title, headers: { 'retry-after': retrySeconds } });
}

/** Who wants to watch. */
interface Watcher {
  /** The last action that they received, where they come back. */
  readonly lastId: number | null;
  /** What they may know of. */
  readonly limit: ProgramLimit;
  /** When their token ends, epoch ms; absent: never. */
  readonly until?: number;
  /** Whether it still lets them in; absent: it does. */
  readonly isStillIn?: () => boolean;
  /** Takes the answer over: from then on nothing else may be answered. */
  readonly answer: () => ViewerAnswer;
}

/** Sends changes to all viewers: one read of the database for all of them, and none without a viewer. */
@Injectable()
export class LiveFeed implements OnModuleDestroy {
  private readonly viewers = new Set<LiveViewer>();
  /** Waiting to be greeted. */
  private coming = 0;
  /** What was sent up to now; null without a viewer. */
  private changes: LiveChanges | null = null;
  private readonly timers: RepeatingTimers;
  /** Greetings and reads take turns: a viewer misses nothing that is sent while it is greeted. */
  private turn: Promise<unknown> = Promise.resolve();
  private isClosed = false;

  constructor(
    private readonly clock: Clock,
    private readonly board: StatsService,
    private readonly sources: ChangeSources,
  ) {
    this.timers = new RepeatingTimers(clock, [
      { everyMs: pollMs, task: () => this.inTurn(() => this.look()) },
      { everyMs: heartbeatMs, task: async () => this.send(() => heartbeatText) },
    ]);
  }

  /** @throws {ApiProblem | DatabaseError} where there are too many viewers, or the state cannot be read */
  async open(watcher: Watcher): Promise<void> {
    this.assertRoom();
    this.coming += 1;
    try {
      await this.inTurn(() => this.greet(watcher));
    } finally {
      this.coming -= 1;
    }
  }

  /** Viewers are disconnected at once, however long the other parts take. */
  onModuleDestroy(): void {
    this.close();
  }

  /** Ends every stream, and refuses new ones. */
  close(): void {
    this.isClosed = true;
    this.timers.stop();
    this.endAll();
  }

  private assertRoom(): void {
    if (this.isClosed) throw unavailable('draining', 'This process is about to end');
    if (this.viewers.size + this.coming >= viewersMax) throw unavailable('too-many-streams', 'Too many are watching');
  }

  private async greet({ lastId, limit, until = Infinity, isStillIn, answer }: Watcher): Promise<void> {
    const { clock } = this;
    const changes = this.changes ?? new LiveChanges(this.sources, this.board);
    if (this.changes === null) await changes.begin();
    const greeting = `retry: ${pollMs}\n\n${await changes.snapshot(lastId, limit)}`;
    if (this.isClosed) throw unavailable('draining', 'This process is about to end');
    const taken = answer();
    // A viewer that has left meanwhile causes no further event.
    if (taken.destroyed) return;
    this.changes = changes;
    const endsInMs = Math.min(streamMsMax, until - clock.now());
    const viewer = new LiveViewer(taken, { limit, clock, endsInMs, isStillIn, onOver: () => this.left(viewer) });
    this.viewers.add(viewer);
    viewer.write(greeting);
    this.timers.start();
  }

  private left(viewer: LiveViewer): void {
    this.viewers.delete(viewer);
    if (this.viewers.size > 0) return;
    this.timers.stop();
    this.changes = null;
  }

  private async look(): Promise<void> {
    if (this.changes === null) return;
    for (const viewer of this.viewers) viewer.endUnlessAdmitted();
    try {
      const changes = await this.changes.next();
      this.send((limit) => changesText(changes, limit));
    } catch {
      // They come back, and are answered why there is nothing to tell.
      this.endAll();
    }
  }

  /** Made once for all who are limited alike. */
  private send(textFor: (limit: ProgramLimit) => string): void {
    const texts = new Map<string, string>();
    for (const viewer of this.viewers) {
      const key = JSON.stringify(viewer.limit);
      const text = texts.get(key) ?? textFor(viewer.limit);
      texts.set(key, text);
      viewer.write(text);
    }
  }

  private endAll(): void {
    for (const viewer of this.viewers) viewer.end();
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.turn.then(work);
    this.turn = mine.catch(() => undefined);
    return mine;
  }
}
