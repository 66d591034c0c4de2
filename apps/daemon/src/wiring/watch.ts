import type { INestApplicationContext } from '@nestjs/common';

import type { Environment } from '#contracts';
import type { DeliveryLoop } from '#delivery';
import type { ApiSettings, Stats } from '#operations';
import { LiveFeed, StatsBoard } from '#operations';
import type { Clock, Logger } from '#platform';

import type { DaemonMetrics } from '../metrics/daemon-metrics.js';
import { registerStatsMetrics } from '../metrics/stats-metrics.js';
import type { ProgramsHolder } from '../programs/programs-holder.js';
import { openProcessSigns } from './process-signs.js';
import { openSettledTally } from './settled-tally.js';
import type { Storage } from './storage.js';

/** A scrape waits so long for what the database tells; the rest of it is worth more. */
const scrapeWaitMs = 2_000;

export interface WatchedParts {
  readonly storage: Storage;
  /** Null in a process without the delivery role. */
  readonly delivery: DeliveryLoop | null;
  readonly programs: ProgramsHolder;
  readonly metrics: DaemonMetrics;
  readonly logger: Logger;
}

/** What tells how things stand. */
export interface Watch {
  /** Whoever watches is let go at once. */
  closeStreams(): void;
  stop(): Promise<void>;
}

/** The settings with whatever metrics want to know of the API. */
export function withMetrics(api: ApiSettings | null, metrics: DaemonMetrics): ApiSettings | null {
  if (api === null) return null;
  const onReplayItems = (result: string, count: number): void => {
    metrics.replayItems(result, count);
  };
  return { ...api, onReplayItems };
}

async function inTime(stats: Promise<Stats>, clock: Clock): Promise<Stats | null> {
  const patience = new AbortController();
  const late = clock.sleep(scrapeWaitMs, patience.signal).then(
    () => null,
    () => null,
  );
  const read = stats.catch(() => null);
  const first = await Promise.race([read, late]);
  patience.abort();
  return first;
}

/** Starts what tells how things stand: that this process is there, and with the operations role everything else. */
export function startWatch(app: INestApplicationContext, environment: Environment, parts: WatchedParts): Watch {
  const { storage, delivery, metrics, logger } = parts;
  const processId = storage.random.uuid();
  const signs = openProcessSigns(processId, environment, parts);
  signs.start();
  if (!environment.roles.includes('operations')) return { closeStreams: () => undefined, stop: () => signs.stop() };
  const board = app.get(StatsBoard);
  board.watch({ processId, gates: () => delivery?.gates ?? new Map() });
  registerStatsMetrics(metrics.registry, () => inTime(board.current(), storage.clock));
  const tally = openSettledTally(storage, logger);
  tally.start();
  const feed = app.get(LiveFeed);
  return {
    closeStreams: () => {
      feed.close();
    },
    stop: async () => {
      await Promise.all([signs.stop(), tally.stop()]);
    },
  };
}
