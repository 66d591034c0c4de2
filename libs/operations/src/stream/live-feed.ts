import { Inject, Injectable } from '@nestjs/common';

import { API_SETTINGS } from '../api-settings.js';
import type { ApiSettings } from '../api-settings.js';
import { ApiProblem } from '../problems/api-problem.js';
import { StatsBoard } from '../stats/stats-board.js';
import { LiveChanges } from './live-changes.js';
import type { ViewerAnswer } from './live-viewer.js';
import { LiveViewer } from './live-viewer.js';
import { Rounds } from './rounds.js';
import { eventText, heartbeatText } from './stream-event.js';

/** Streams open at once in one process. */
export const viewersMax = 100;
/** How often one looks at what has changed, while somebody watches. */
export const lookMs = 2_000;
export const heartbeatMs = 15_000;
/** A stream ends after so long: whoever comes back shows their token again. */
export const streamMsMax = 3_600_000;

const retrySeconds = '5';

function unavailable(code: string, title: string): ApiProblem {
  return new ApiProblem({ status: 503, code, title, headers: { 'retry-after': retrySeconds } });
}

/** Who wants to watch. */
export interface Watcher {
  /** The last action that they were told, where they come back. */
  readonly lastId: number | null;
  /** When their token ends, epoch ms; absent: never. */
  readonly until?: number;
  /** Whether it still lets them in; absent: it does. */
  readonly isStillIn?: () => boolean;
  /** Takes the answer over: from then on nothing else may be answered. */
  readonly answer: () => ViewerAnswer;
}

/** Tells everybody who watches what changes: one look at the database for all of them, and none for nobody. */
@Injectable()
export class LiveFeed {
  private readonly viewers = new Set<LiveViewer>();
  /** Waiting to be greeted. */
  private coming = 0;
  /** What was told up to now; null while nobody watches. */
  private changes: LiveChanges | null = null;
  private readonly rounds: Rounds;
  /** Greetings and looks take turns: nobody misses what is told while they are greeted. */
  private turn: Promise<unknown> = Promise.resolve();
  private isClosed = false;

  constructor(
    @Inject(API_SETTINGS) private readonly settings: Pick<ApiSettings, 'database' | 'clock'>,
    @Inject(StatsBoard) private readonly board: Pick<StatsBoard, 'current'>,
  ) {
    this.rounds = new Rounds(settings.clock, [
      { everyMs: lookMs, task: () => this.inTurn(() => this.look()) },
      { everyMs: heartbeatMs, task: async () => this.tell(heartbeatText) },
    ]);
  }

  /** @throws {ApiProblem | DatabaseError} where nobody more can be let in, or how things stand cannot be told */
  async open(watcher: Watcher): Promise<void> {
    this.assertRoom();
    this.coming += 1;
    try {
      await this.inTurn(() => this.greet(watcher));
    } finally {
      this.coming -= 1;
    }
  }

  /** Ends every stream, and lets nobody in any more. */
  close(): void {
    this.isClosed = true;
    this.rounds.stop();
    this.endAll();
  }

  private assertRoom(): void {
    if (this.isClosed) throw unavailable('draining', 'This process is about to end');
    if (this.viewers.size + this.coming >= viewersMax) throw unavailable('too-many-streams', 'Too many are watching');
  }

  private async greet({ lastId, until = Infinity, isStillIn, answer }: Watcher): Promise<void> {
    const { clock, database } = this.settings;
    const changes = this.changes ?? new LiveChanges(database, this.board);
    if (this.changes === null) await changes.begin();
    const greeting = [`retry: ${lookMs}\n\n`, ...(await changes.greeting(lastId)).map(eventText)].join('');
    if (this.isClosed) throw unavailable('draining', 'This process is about to end');
    const taken = answer();
    // Whoever has gone meanwhile does not tell us again.
    if (taken.destroyed) return;
    this.changes = changes;
    const endsInMs = Math.min(streamMsMax, until - clock.now());
    const viewer = new LiveViewer(taken, { clock, endsInMs, isStillIn, onOver: () => this.left(viewer) });
    this.viewers.add(viewer);
    viewer.write(greeting);
    this.rounds.start();
  }

  private left(viewer: LiveViewer): void {
    this.viewers.delete(viewer);
    if (this.viewers.size > 0) return;
    this.rounds.stop();
    this.changes = null;
  }

  private async look(): Promise<void> {
    if (this.changes === null) return;
    for (const viewer of this.viewers) viewer.endUnlessAdmitted();
    try {
      const events = await this.changes.next();
      this.tell(events.map(eventText).join(''));
    } catch {
      // They come back, and are answered why there is nothing to tell.
      this.endAll();
    }
  }

  private tell(text: string): void {
    for (const viewer of this.viewers) viewer.write(text);
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
