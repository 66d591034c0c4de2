import type { EmbeddedBroker } from '#embedded';
import { startEmbeddedBroker, waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import {
  compressedSpaces,
  createTopics,
  kafkaClient,
  processMemory,
  queryOnce,
  sendCompressed,
  testTopics,
} from '#test-support';

import type { Harness } from '../../e2e/harness.js';
import { openHarness } from '../../e2e/harness.js';
import { bombBytes, sendBacklog, sendEveryCodec, smallContainerOptions } from '../../e2e/large-batches.js';
import { produce, purchased } from '../../e2e/traffic.js';
import { Undo } from '../../support/process/program.js';
import type { FiguresReport, FiguresRow } from '../report/bench-report.js';
import { judgeFigure } from '../report/judge.js';
import { rounded } from '../statistics.js';
import type { MeasureTools } from './measure.js';

const containerMebibytes = 512;
const timeoutMs = 240_000;
const quiet = { KAFKA_TOPIC_OUTCOMES: 'none', KAFKA_TOPIC_AUDIT: 'none', KAFKA_TOPIC_DEAD_LETTER: 'none' } as const;

interface Awaited {
  readonly purchases: number;
  readonly bombs: number;
}

/** @returns the most that was ever resident, in MiB: at the start, and when everything has been taken in or set aside */
const peaks = async (harness: Harness, daemon: RunningProcess, sent: Awaited): Promise<readonly [number, number]> => {
  const { peakMebibytes: atStart } = await processMemory(daemon.pid);
  const counts =
    'SELECT (SELECT count(*)::int FROM intent) AS purchases, (SELECT count(*)::int FROM quarantine) AS bombs';
  const isOver = async (): Promise<boolean> => {
    const [row] = await queryOnce<Awaited>(harness.database.url, counts);
    return row?.purchases === sent.purchases && row.bombs === sent.bombs;
  };
  await waitUntil(isOver, { what: 'all of it to be taken in or set aside', timeoutMs, intervalMs: 250 });
  return [atStart, (await processMemory(daemon.pid)).peakMebibytes];
};

type Case = (harness: Harness, undo: Undo) => Promise<readonly [number, number]>;

const bombsAmongPurchases: Case = async (harness) => {
  const topics = testTopics();
  await createTopics(harness.broker, topics.all, 1);
  const payload = await compressedSpaces('gzip', bombBytes);
  const daemon = await harness.startDaemon({
    ...topics.environment,
    ...quiet,
    NODE_OPTIONS: smallContainerOptions,
  });
  const rounds = 4;
  const perRound = 50;
  for (let round = 0; round < rounds; round += 1) {
    if (round > 0) {
      await sendCompressed(kafkaClient(harness.broker), { topic: topics.purchases, codec: 'gzip', payload });
    }
    const some = Array.from({ length: perRound }, (_, at) => purchased(`m-${at}`, `p-${round}-${at}`));
    await produce(harness.broker, topics, some);
  }
  return peaks(harness, daemon, { purchases: rounds * perRound, bombs: rounds - 1 });
};

const backlog: Case = async (harness) => {
  const topics = testTopics();
  await createTopics(harness.broker, [topics.members, topics.purchases, topics.rewards], 12);
  const sent = await sendBacklog(harness.broker, topics.purchases);
  const environment = { ...topics.environment, ...quiet, LOYALTYD_ROLES: 'ingest' };
  const daemon = await harness.startDaemon({ ...environment, NODE_OPTIONS: smallContainerOptions });
  return peaks(harness, daemon, sent);
};

const everyCodec: Case = async (harness, undo) => {
  const topics = testTopics();
  const nodes = 3;
  const cluster: EmbeddedBroker = await startEmbeddedBroker({ nodes });
  undo.add(() => cluster.stop());
  await createTopics({ ...harness.broker, brokers: cluster.brokers }, topics.all, nodes);
  const sent = await sendEveryCodec(cluster, topics.purchases, nodes);
  const environment = { ...topics.environment, ...quiet, KAFKA_BROKERS: cluster.brokers };
  const daemon = await harness.startDaemon({ ...environment, NODE_OPTIONS: smallContainerOptions });
  undo.add(async () => {
    await daemon.stop();
  });
  return peaks(harness, daemon, sent);
};

const cases: Readonly<Record<string, Case>> = {
  'three records of 400 MiB among purchases, all roles': bombsAmongPurchases,
  'a backlog of receipts of 7 KiB with four such records, ingest only': backlog,
  'bombs of every codec from three brokers, all roles': everyCodec,
};

/** What records that decompress to hundreds of MiB cost in a container of 512 MiB. */
export const containerMeasure = async ({ say }: MeasureTools): Promise<FiguresReport> => {
  const rows: FiguresRow[] = [];
  for (const [label, run] of Object.entries(cases)) {
    say(`container: ${label}`);
    const undo = new Undo();
    const values = await undo.after(async () => {
      const harness = await openHarness();
      undo.add(() => harness.close());
      return run(harness, undo);
    });
    rows.push({ label, values: values.map(rounded) });
  }
  const most = Math.max(...rows.map(({ values }) => values[1] ?? NaN));
  return {
    kind: 'figures',
    name: 'container',
    unit: 'MiB, resident at most',
    columns: ['until it was ready', 'in all'],
    rows,
    bars: [judgeFigure({ text: 'within a container of 512 MiB', atMost: containerMebibytes }, most)],
    notes: [
      'One daemon each, with the options of docs/operations/install.md; all of it lies in Kafka or comes while it runs.',
    ],
  };
};
