import type { ReplayView } from '#contracts';
import type { ListedAction } from '#intents';
import type { Database } from '#platform';

import { toAuditEntry } from '../audit/audit-view.js';
import { toPauseView } from '../pauses/pause-view.js';
import type { Stats, StatsBoard } from '../stats/stats-board.js';
import { toStatsView } from '../stats/stats.controller.js';
import { ActionTail } from './action-tail.js';
import { ReplayWatch } from './replay-watch.js';
import type { StreamEvent } from './stream-event.js';

function statsEvent(stats: Stats): StreamEvent {
  return { name: 'stats', data: toStatsView(stats) };
}

function pauseEvent({ overview }: Stats): StreamEvent {
  return { name: 'pause', data: { items: overview.pauses.map(toPauseView) } };
}

function actionEvent(action: ListedAction): StreamEvent {
  return { name: 'action', data: toAuditEntry(action), id: action.actionId };
}

function replayEvent(data: ReplayView): StreamEvent {
  return { name: 'replay', data };
}

/** Looks at what has changed, once for all who watch. */
export class LiveChanges {
  private readonly actions: ActionTail;
  private readonly replays: ReplayWatch;
  private pauses = '';

  constructor(
    database: Database,
    private readonly board: Pick<StatsBoard, 'current'>,
  ) {
    this.actions = new ActionTail(database);
    this.replays = new ReplayWatch(database);
  }

  /** Changes are told from now on. @throws {DatabaseError} */
  async begin(): Promise<void> {
    await this.actions.begin();
    await this.next();
  }

  /** How things stand, for somebody who comes, and what was done since they were here last. @throws {DatabaseError} */
  async greeting(lastId: number | null): Promise<StreamEvent[]> {
    const stats = await this.board.current();
    const missed = lastId === null ? [] : await this.actions.since(lastId);
    const first = { ...statsEvent(stats), ...(lastId === null ? { id: this.actions.last } : {}) };
    return [first, pauseEvent(stats), ...this.replays.open.map(replayEvent), ...missed.map(actionEvent)];
  }

  /** How things stand, and what has changed since the last look. @throws {DatabaseError} */
  async next(): Promise<StreamEvent[]> {
    const stats = await this.board.current();
    const actions = await this.actions.next();
    const replays = await this.replays.look(stats.overview.replays);
    const pause = pauseEvent(stats);
    const pauses = JSON.stringify(pause.data);
    const isPauseNew = pauses !== this.pauses;
    this.pauses = pauses;
    return [
      statsEvent(stats),
      ...(isPauseNew ? [pause] : []),
      ...replays.map(replayEvent),
      ...actions.map(actionEvent),
    ];
  }
}
