import { Injectable } from '@nestjs/common';

import type { Environment } from '#contracts';
import type { Ingest } from '#events/ingest';
import type { Admin } from '#kafka';
import { SettledTally } from '#intents';
import type { Stats, StatsService } from '#operations';
import { minuteLooks } from '#operations';
import type { Clock, Logger } from '#platform';
import { BackgroundLoop, IdleWait } from '#platform';

import { Configuration } from '../environment/configuration.module.js';
import { KafkaAccess } from '../kafka/kafka-access.js';
import { FollowerLoops } from '../lifecycle/loops.js';
import type { DatabaseFigures } from '../metrics/database-metrics.js';
import { readDatabaseFigures, registerDatabaseMetrics, registerStatsMetrics } from '../metrics/database-metrics.js';
import { Platform } from '../platform.module.js';
import { Storage } from '../storage/storage.module.js';
import { callWriter } from './call-tally.js';
import type { HiddenPartition } from './open-transactions.js';
import { OpenTransactionWatch } from './open-transactions.js';

/** How often the ends of our partitions are read: a partition that delivers no batch shows no lag by itself. */
const lagPollMs = 15_000;
/** Where none is ours yet one looks again soon: until then it is not known how far behind we are. */
const noPartitionsPollMs = 1_000;

/** Logs which producers keep partitions from being read; where none can be named, the partitions alone. */
async function reportHidden(hidden: readonly HiddenPartition[], kafka: Admin, logger: Logger): Promise<void> {
  const unreported = hidden.filter(({ isNew }) => isNew);
  const open = await kafka.openTransactions(unreported).catch(() => []);
  for (const { topic, partition, end, stable, ageMs } of unreported) {
    const first = open
      .filter((transaction) => transaction.topic === topic && transaction.partition === partition)
      .toSorted((one, two) => one.startOffset - two.startOffset)[0];
    const producer = first === undefined ? {} : { producerId: first.producerId, lastAt: new Date(first.lastAt) };
    logger.error(
      { topic, partition, from: stable, hidden: end - stable, ageMs, ...producer },
      'an open transaction hides all later records of a partition',
    );
  }
}

/** Where our partitions stand, and the way to where they end. */
interface LagPorts extends Pick<Ingest, 'partitionPositions'> {
  readonly access: Pick<KafkaAccess, 'connection' | 'driver'>;
}

/** Keeps the lag of each of our partitions. */
export function openLagWatch(
  configuration: Pick<Configuration, 'environment'>,
  { clock, random }: Pick<Storage, 'clock' | 'random'>,
  { metrics, logger, lag }: Pick<Platform, 'metrics' | 'logger' | 'lag'>,
  { partitionPositions, access }: LagPorts,
): BackgroundLoop {
  const transactions = new OpenTransactionWatch();
  const look = async (): Promise<number> => {
    const { kafka } = configuration.environment;
    const admin = kafka === null ? null : access.driver.admin(access.connection(), logger, 'once');
    const askedAt = clock.now();
    const topics = [...new Set(partitionPositions().map(({ topic }) => topic))];
    const isIdle = admin === null || topics.length === 0;
    const ends = isIdle ? new Map<string, never>() : await admin.ends(topics);
    // Positions are read afterwards: records may have been consumed while the broker answered.
    const lags = partitionPositions().flatMap(({ topic, partition, nextOffset }) => {
      const own = ends.get(topic)?.find((watermarks) => watermarks.partition === partition);
      if (own === undefined) return [];
      const { high: end, stable } = own;
      return [{ topic, partition, end, stable, records: Math.max(0, end - nextOffset) }];
    });
    metrics.consumerLags(lags);
    lag.looked(lags, askedAt);
    const hidden = transactions.looked(lags, clock.monotonic());
    const ageMsOf = ({ topic, partition }: (typeof lags)[number]): number =>
      hidden.find((one) => one.topic === topic && one.partition === partition)?.ageMs ?? 0;
    metrics.openTransactions(lags.map((own) => ({ ...own, ageMs: ageMsOf(own) })));
    if (admin !== null) await reportHidden(hidden, admin, logger);
    return isIdle ? noPartitionsPollMs : lagPollMs;
  };
  return new BackgroundLoop({
    workOnce: look,
    close: async () => undefined,
    failureMessage: 'how far ingest is behind could not be told',
    ...{ clock, random, logger },
  });
}

/** How often the figures are read, and for how long old ones are shown when reading fails. */
const databasePollMs = 15_000;
const figuresAgeMsMax = 60_000;

/** Keeps figures of the database itself for the metrics. Not yet started. */
function openDatabaseWatch(
  { database: settings }: Pick<Environment, 'database'>,
  { clock, random, database }: Storage,
  { metrics, logger }: Platform,
): BackgroundLoop {
  const host = settings === null ? '' : new URL(settings.url.value).hostname;
  let latest: { readonly figures: DatabaseFigures; readonly readAt: number } | null = null;
  const isFresh = (readAt: number): boolean => clock.monotonic() - readAt <= figuresAgeMsMax;
  registerDatabaseMetrics(metrics.registry, () => (latest !== null && isFresh(latest.readAt) ? latest.figures : null));
  return new BackgroundLoop({
    workOnce: async () => {
      const readAt = clock.monotonic();
      latest = { figures: await readDatabaseFigures(database, { clock, host }), readAt };
      return databasePollMs;
    },
    close: async () => undefined,
    failureMessage: 'the database could not be looked at',
    ...{ clock, random, logger },
  });
}

/**
 * How long until one looks again for events to count: at most `tallyWindowMax` are counted at once, and counting a few costs
 * the database as many statements as counting them all.
 */
const tallyWaitMs = { counted: 250, open: 100 } as const;
const tallyIdleMs = { leastMs: 1_000, mostMs: 5_000 } as const;

/** Keeps the counts of delivered and cancelled intents, for the overview. */
function openSettledTally({ database, clock, random }: Storage, { logger, wake }: Platform): BackgroundLoop {
  const tally = new SettledTally(database);
  const idle = new IdleWait(tallyIdleMs);
  const workOnce = async (): Promise<number> => {
    const step = await tally.step();
    if (step === 'idle') return idle.next();
    idle.reset();
    return tallyWaitMs[step];
  };
  const loop = new BackgroundLoop({
    workOnce,
    close: async () => {
      stopHearing();
    },
    failureMessage: 'settled intents were not counted',
    ...{ clock, random, logger },
  });
  const stopHearing = idle.endWith(wake, loop);
  return loop;
}

/** A scrape waits at most so long for the database's figures; the others must not wait longer. */
const scrapeWaitMs = 2_000;

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

/** The loops that keep figures for the metrics, as far as the roles of this process know. */
@Injectable()
export class Figures extends FollowerLoops {
  constructor(
    private readonly configuration: Configuration,
    private readonly storage: Storage,
    private readonly platform: Platform,
    private readonly access: KafkaAccess,
  ) {
    super();
    platform.background.watch('figures', this.loops);
  }

  keepLag({ partitionPositions }: Pick<Ingest, 'partitionPositions'>): void {
    const { access } = this;
    this.add(openLagWatch(this.configuration, this.storage, this.platform, { partitionPositions, access }));
  }

  /** How long the partner takes, for the minutes. */
  keepCalls(): void {
    const { database, clock, random } = this.storage;
    const { logger, callTally } = this.platform;
    this.add(callWriter({ database, clock, random, logger }, callTally));
  }

  /** The figures of the database, for operators. */
  keepOverview(stats: StatsService): void {
    const { configuration, storage, platform } = this;
    const { metrics, processId, logger } = platform;
    const { database, clock, random } = storage;
    stats.watch({ processId });
    const current = (): Promise<Stats | null> => inTime(stats.current(), clock);
    registerStatsMetrics(metrics.registry, current, (name) => metrics.programLabel(name));
    this.add(openSettledTally(storage, platform));
    this.add(minuteLooks({ database, clock, random, logger }));
    this.add(openDatabaseWatch(configuration.environment, storage, platform));
  }
}
