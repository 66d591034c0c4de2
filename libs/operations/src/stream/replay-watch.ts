import type { ReplayView } from '#contracts';
import type { Database } from '#platform';

import type { Replay } from '../replays/replay-store.js';
import { countReplayItems, findReplay } from '../replays/replay-store.js';
import { toReplayView } from '../replays/replays.controller.js';

interface Watched {
  readonly replay: Replay;
  readonly view: ReplayView;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Tells replays that move. Of one that does not run any more, what was sent still comes to an end: then its counts are kept. */
export class ReplayWatch {
  private watched = new Map<string, Watched>();

  constructor(private readonly database: Database) {}

  /** Those that run, or would go on if somebody let them, as they were last seen. */
  get open(): ReplayView[] {
    return [...this.watched.values()].map(({ view }) => view);
  }

  /**
   * Those that have moved since the last look, and those that have come to their end.
   * @param open the replays that are not at their end now
   */
  async look(open: readonly Replay[]): Promise<ReplayView[]> {
    const before = this.watched;
    const moving = open.filter(
      (replay) => replay.counts === null || !isSame(replay, before.get(replay.replayId)?.replay),
    );
    const seen = await this.view([...moving, ...(await this.ended(open))]);
    this.watched = new Map(
      open.flatMap(({ replayId }) => {
        const watched = seen.get(replayId) ?? before.get(replayId);
        return watched === undefined ? [] : [[replayId, watched] as const];
      }),
    );
    return [...seen.values()].map(({ view }) => view).filter((view) => !isSame(view, before.get(view.id)?.view));
  }

  /** How those stand now that were open at the last look. */
  private async ended(open: readonly Replay[]): Promise<Replay[]> {
    const ids = new Set(open.map(({ replayId }) => replayId));
    const gone = [...this.watched.keys()].filter((replayId) => !ids.has(replayId));
    const found = await Promise.all(gone.map((replayId) => findReplay(this.database, replayId)));
    return found.filter((replay) => replay !== null);
  }

  private async view(replays: readonly Replay[]): Promise<Map<string, Watched>> {
    if (replays.length === 0) return new Map();
    const counts = await countReplayItems(this.database, replays);
    return new Map(
      replays.map((replay) => {
        const view = toReplayView(replay, counts.get(replay.replayId) ?? { byState: {}, byForecast: {} });
        return [replay.replayId, { replay, view }];
      }),
    );
  }
}
