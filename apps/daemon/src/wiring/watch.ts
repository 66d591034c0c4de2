import type { INestApplicationContext } from '@nestjs/common';

import type { Environment } from '#contracts';
import type { DeliveryLoop } from '#delivery';
import type { Ingest } from '#ingest';
import { INGEST } from '#ingest';
import type { ApiSettings, ProgramsControl, Stats } from '#operations';
import { LiveFeed, StatsBoard } from '#operations';
import type { BackgroundLoop, Clock, Logger } from '#platform';

import type { LiveEnvironment } from '../environment/live-environment.js';
import { registerBackgroundMetrics } from '../metrics/background-metrics.js';
import type { DaemonMetrics } from '../metrics/daemon-metrics.js';
import { registerStatsMetrics } from '../metrics/stats-metrics.js';
import { openDatabaseWatch } from './database-watch.js';
import { openLagWatch } from './lag-watch.js';
import type { Operating } from './operating.js';
import { openSettledTally } from './settled-tally.js';
import type { Storage } from './storage.js';

/** A scrape waits so long for what the database tells; the rest of it is worth more. */
const scrapeWaitMs = 2_000;

export interface WatchedParts {
  readonly storage: Storage;
  /** Null in a process without the delivery role. */
  readonly delivery: DeliveryLoop | null;
  /** As this process reports itself. */
  readonly control: Pick<ProgramsControl, 'processId'>;
  readonly metrics: DaemonMetrics;
  readonly logger: Logger;
  /** Null in a process without the delivery role. */
  readonly outcomes: BackgroundLoop | null;
  readonly operating: Operating;
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

/** What the operations role tells of the database. @returns what must be kept up for it, and what streams it */
function watchDatabase(
  app: INestApplicationContext,
  environment: Environment,
  parts: WatchedParts,
): { readonly loops: readonly BackgroundLoop[]; readonly feed: LiveFeed } {
  const { storage, delivery, control, metrics, logger } = parts;
  const board = app.get(StatsBoard);
  board.watch({ processId: control.processId, gates: () => delivery?.gates ?? new Map() });
  const current = (): Promise<Stats | null> => inTime(board.current(), storage.clock);
  registerStatsMetrics(metrics.registry, current, (name) => metrics.programLabel(name));
  return { loops: [openSettledTally(storage, logger), openDatabaseWatch(environment, parts)], feed: app.get(LiveFeed) };
}

function watchBackground(
  { outcomes, operating, metrics }: WatchedParts,
  ingest: Ingest | null,
  figures: readonly BackgroundLoop[],
): void {
  registerBackgroundMetrics(metrics.registry, {
    outcomes: [outcomes],
    'dead-letters': [ingest?.deadLetters],
    erasures: [ingest?.erasures],
    ...operating,
    figures,
  });
}

/** Starts what tells how things stand, as far as the roles of this process know. */
export function startWatch(
  app: INestApplicationContext,
  live: Pick<LiveEnvironment, 'current'>,
  parts: WatchedParts,
): Watch {
  const { roles } = live.current;
  const ingest = roles.includes('ingest') ? app.get<Ingest>(INGEST) : null;
  const lag = ingest === null ? [] : [openLagWatch(live, ingest, parts)];
  const database = roles.includes('operations') ? watchDatabase(app, live.current, parts) : null;
  const loops = [...lag, ...(database?.loops ?? [])];
  for (const loop of loops) loop.start();
  watchBackground(parts, ingest, loops);
  return {
    closeStreams: () => {
      database?.feed.close();
    },
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}
