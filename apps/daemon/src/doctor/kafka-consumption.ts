import type { KafkaEnvironment, TopicNames } from '#contracts';
import type { CommittedOffset, InspectedGroup, KafkaConnection, OpenTransaction, PartitionEnds } from '#ingest';
import { inspectCommitted, inspectGroup, inspectOpenTransactions, inspectWatermarks, kafkaTrouble } from '#ingest';
import type { IngestedPosition, InstallationKeys, RecoveryStatus } from '#intents';
import { findRecovery, listPositions } from '#intents';
import type { Clock, Logger } from '#platform';

import type { Examination, Examined, Step } from './examination.js';
import { concludeMs, readMs } from './examination.js';
import type { Finding } from './finding.js';
import { failed, ok, skipped, troublesOr, warning } from './finding.js';
import { orRefusal, troubleRemedy, troubleText } from './kafka-connection.js';
import type { Topics } from './kafka-topics.js';
import { sourceTopics } from './kafka-topics.js';
import type { Store } from './postgres.js';

const groupName = 'kafka.group';
const ownerName = 'kafka.group-owner';

/** Whether anybody consumes. */
export function judgeGroup(groupId: string, { state, members }: InspectedGroup): Finding {
  if (members === 0) {
    return warning(groupName, {
      detail: `${groupId} has no members (${state}): nothing is ingested`,
      remedy:
        'Is a process with the role ingest running? Its log says why it does not join (`kafka: ...`, `topics do not exist ' +
        'yet`, `this consumer group consumes into another database`). Before the first start this is as it should be.',
    });
  }
  if (state !== 'Stable') {
    const remedy =
      'Members come or go: this lasts seconds, at most a minute. If it stays, some process keeps crashing or stalling.';
    return warning(groupName, { detail: `${groupId}: ${members} members, ${state}`, remedy });
  }
  return ok(groupName, `${groupId}: ${members} members, ${state}`);
}

function judgeOwner(groupId: string, group: InspectedGroup, { mac }: InstallationKeys): Finding {
  const isOwn = group.isOwn(mac);
  if (isOwn === null) return skipped(ownerName, 'nobody is in the group');
  if (isOwn) return ok(ownerName, `${groupId} consumes into this database`);
  return failed(ownerName, {
    detail: `${groupId} consumes into another database: the broker lets nobody in who consumes into this one`,
    remedy: 'Give each database a KAFKA_GROUP_ID of its own, then start again.',
  });
}

async function examineGroup(
  connection: KafkaConnection,
  groupId: string,
  logger: Logger,
): Promise<Examined<InspectedGroup>> {
  try {
    const value = await inspectGroup(connection, groupId, logger);
    return { findings: [judgeGroup(groupId, value)], value };
  } catch (error) {
    const trouble = kafkaTrouble(error);
    if (trouble.kind !== 'no-coordinator') throw error;
    // A cluster that has never had a group answers so: no failure before the first start.
    return {
      findings: [warning(groupName, { detail: troubleText(trouble), remedy: troubleRemedy(trouble) })],
      value: null,
    };
  }
}

/** The consumer group: its state, and whose it is. */
export function checkGroup(
  examination: Examination,
  built: { readonly connection: Step<KafkaConnection>; readonly keys: Step<InstallationKeys> },
  { kafka, logger }: { readonly kafka: KafkaEnvironment; readonly logger: Logger },
): void {
  const { groupId } = kafka;
  const remedy = 'The group’s coordinator is slow: look at the brokers’ logs, then try again.';
  const group = examination.after(built.connection, { name: groupName, timeoutMs: readMs, remedy }, (connection) =>
    orRefusal(groupName, () => examineGroup(connection, groupId, logger)),
  );
  const plan = { name: ownerName, timeoutMs: concludeMs, remedy };
  examination.after(examination.both(group, built.keys), plan, async ([found, keys]) => ({
    findings: [judgeOwner(groupId, found, keys)],
    value: null,
  }));
}

const lagName = 'kafka.lag';
/** Some minutes of work even where ingest is slow. */
const lagRecordsMax = 100_000;

interface Place extends PartitionEnds {
  readonly topic: string;
  /** Before the broker was asked. Undefined: never consumed. */
  readonly storedBefore: number | undefined;
  /** After it has answered. */
  readonly stored: number | undefined;
}

/** Where topics begin and end, and what we had consumed of them before that was read and after it. */
export interface LookedUpPositions {
  readonly before: readonly IngestedPosition[];
  /** By topic. */
  readonly watermarks: ReadonlyMap<string, readonly PartitionEnds[]>;
  readonly after: readonly IngestedPosition[];
}

/**
 * Records are consumed, and deleted, while the broker answers. What we had consumed before cannot lie beyond the end that it
 * tells, and what we have consumed after it cannot lie before the beginning: unless something is wrong.
 */
export async function lookUpPositions(
  readPositions: () => Promise<readonly IngestedPosition[]>,
  readWatermarks: () => Promise<LookedUpPositions['watermarks']>,
): Promise<LookedUpPositions> {
  const before = await readPositions();
  const watermarks = await readWatermarks();
  return { before, watermarks, after: await readPositions() };
}

function placesOf({ before, watermarks, after }: LookedUpPositions): readonly Place[] {
  const storedIn = (positions: readonly IngestedPosition[], topic: string, partition: number): number | undefined =>
    positions.find((position) => position.topic === topic && position.partition === partition)?.nextOffset;
  return [...watermarks].flatMap(([topic, partitions]) =>
    partitions.map((ends) => ({
      ...{ ...ends, topic },
      storedBefore: storedIn(before, topic, ends.partition),
      stored: storedIn(after, topic, ends.partition),
    })),
  );
}

function lagOf({ stored, low, high }: Place): number {
  return Math.max(0, high - Math.max(low, stored ?? low));
}

function judgePlace({ topic, partition, storedBefore, stored, low, high }: Place): readonly Finding[] {
  const at = `kafka.gap.${topic}/${partition}`;
  if (storedBefore === undefined || stored === undefined) return [];
  if (stored < low) {
    return [
      failed(at, {
        detail: `the records from ${stored} up to ${low} were deleted before we read them; this partition stands still`,
        remedy: `Can they be produced again? If not: loyaltyd accept-gap ${topic}/${partition} --reason "..." lets it go on without them.`,
      }),
    ];
  }
  if (storedBefore <= high) return [];
  const detail = `we have read up to ${storedBefore}, but it ends at ${high}: created anew, or another cluster`;
  const remedy =
    'If the topic was created anew, nothing is to be done: it is read from its beginning. Else KAFKA_BROKERS is wrong: stop.';
  return [warning(at, { detail, remedy })];
}

function judgeLag(places: readonly Place[]): Finding {
  const byTopic = Map.groupBy(places, ({ topic }) => topic);
  const lags = [...byTopic].map(([topic, own]) => [topic, own.reduce((sum, place) => sum + lagOf(place), 0)] as const);
  const total = lags.reduce((sum, [, lag]) => sum + lag, 0);
  const fresh = places.filter(({ stored }) => stored === undefined).length;
  const detail = [
    ...lags.map(([topic, lag]) => `${topic} ${lag} behind`),
    ...(fresh > 0 ? [`${fresh} of ${places.length} partitions never consumed yet`] : []),
  ].join(', ');
  if (total <= lagRecordsMax) return ok(lagName, detail);
  const remedy =
    'Does ingest run, and does loyaltyd_consumer_lag fall? If it grows: more partitions and processes, or look at Postgres.';
  return warning(lagName, { detail, remedy });
}

/** Where we stand in the topics. Our own stored offsets count: what Kafka keeps for the group is a hint. */
export function judgePositions(looked: LookedUpPositions): readonly Finding[] {
  const places = placesOf(looked);
  if (places.length === 0) return [skipped(lagName, 'there are no topics')];
  return [judgeLag(places), ...troublesOr(places.flatMap(judgePlace), ok('kafka.gap', 'no partition stands still'))];
}

/** Open for longer than any till's transaction. */
const transactionAgeMsMax = 60_000;

/** Partitions that end behind where they can be read. */
function hiddenPlaces(watermarks: LookedUpPositions['watermarks']): readonly (PartitionEnds & { topic: string })[] {
  return [...watermarks].flatMap(([topic, partitions]) =>
    partitions.filter(({ stable, high }) => stable < high).map((ends) => ({ ...ends, topic })),
  );
}

/** What transactions that stay open hide. Where the brokers name no producer it is not known for how long it was. */
export function judgeOpenTransactions(
  watermarks: LookedUpPositions['watermarks'],
  open: readonly OpenTransaction[],
  now: number,
): readonly Finding[] {
  const findings = hiddenPlaces(watermarks).flatMap(({ topic, partition, stable, high }) => {
    const at = `kafka.transaction.${topic}/${partition}`;
    const hides = `hides the ${high - stable} records from ${stable} on`;
    const remedy =
      'Nothing behind it is consumed. Start its producer again: it ends its own. If it is gone: kafka-transactions.sh abort ' +
      `--topic ${topic} --partition ${partition} --start-offset ${stable}, see docs/runbooks/LoyaltydOpenTransaction.md.`;
    const own = open.filter((transaction) => transaction.topic === topic && transaction.partition === partition);
    const [first] = own.toSorted((one, two) => one.startOffset - two.startOffset);
    if (first === undefined) {
      return [warning(at, { detail: `an open transaction ${hides}, since when is unknown`, remedy })];
    }
    const ageMs = now - first.lastAt;
    if (ageMs < transactionAgeMsMax) return [];
    const detail = `a transaction of producer ${first.producerId}, which wrote ${Math.round(ageMs / 1_000)} s ago, ${hides}`;
    return [failed(at, { detail, remedy })];
  });
  return troublesOr(findings, ok('kafka.transaction', 'no transaction has stayed open for a minute'));
}

/** Lag, gaps and open transactions of what is consumed. */
export function checkPositions(
  examination: Examination,
  built: {
    readonly connection: Step<KafkaConnection>;
    readonly topics: Step<Topics>;
    readonly store: Step<Store>;
  },
  { names, logger, clock }: { readonly names: TopicNames; readonly logger: Logger; readonly clock: Pick<Clock, 'now'> },
): void {
  const plan = {
    name: lagName,
    timeoutMs: concludeMs,
    remedy: 'The brokers are slow to tell offsets: look at their logs, then try again.',
  };
  const reached = examination.both(built.connection, built.topics);
  examination.after(examination.both(reached, built.store), plan, ([[connection, topics], { database }]) =>
    orRefusal(lagName, async () => {
      const present = sourceTopics(names).filter((topic) => topics.has(topic));
      const looked = await lookUpPositions(
        () => listPositions(database),
        () => inspectWatermarks(connection, present, logger),
      );
      const open = await inspectOpenTransactions(connection, hiddenPlaces(looked.watermarks), logger).catch(() => []);
      const findings = [...judgePositions(looked), ...judgeOpenTransactions(looked.watermarks, open, clock.now())];
      return { findings, value: null };
    }),
  );
}

const forgottenName = 'kafka.forgotten';

/** What Kafka knows of our group, the database knows first: only a database that has lost something knows less. */
export function judgeCommitted(
  committed: readonly CommittedOffset[],
  positions: readonly IngestedPosition[],
  recovery: RecoveryStatus | null,
): Finding {
  const ahead = committed.filter(({ topic, partition, nextOffset }) => {
    const stored = positions.find((position) => position.topic === topic && position.partition === partition);
    return stored !== undefined && nextOffset > stored.nextOffset;
  });
  const [first] = ahead;
  if (first === undefined) return ok(forgottenName, 'the database knows of everything that our group consumed');
  const detail =
    `our group has consumed ${ahead.length} partitions further than the database knows, ${first.topic}/${first.partition} up to ` +
    `${first.nextOffset}: what was sent since is forgotten`;
  if (recovery !== null) {
    return warning(forgottenName, {
      detail,
      remedy: 'It is read again, as it should be after a restore: docs/restore.md.',
    });
  }
  const remedy =
    'Was the database restored? Do not just start: `loyaltyd start --recovered-from TIME`, see docs/restore.md. Else another ' +
    'database has used this KAFKA_GROUP_ID, or a topic of that name was deleted.';
  return failed(forgottenName, { detail, remedy });
}

/** A cluster that has never had a group has no coordinator: nothing was committed. */
async function committedOf(...asked: Parameters<typeof inspectCommitted>): Promise<readonly CommittedOffset[]> {
  try {
    return await inspectCommitted(...asked);
  } catch (error) {
    if (kafkaTrouble(error).kind === 'no-coordinator') return [];
    throw error;
  }
}

/** Whether Kafka remembers more of our group than the database does. */
export function checkRestored(
  examination: Examination,
  built: {
    readonly connection: Step<KafkaConnection>;
    readonly topics: Step<Topics>;
    readonly store: Step<Store>;
  },
  { kafka, logger }: { readonly kafka: KafkaEnvironment; readonly logger: Logger },
): void {
  const remedy = 'The group’s coordinator is slow: look at the brokers’ logs, then try again.';
  const reached = examination.both(built.connection, built.topics);
  const plan = { name: forgottenName, timeoutMs: concludeMs, remedy };
  examination.after(examination.both(reached, built.store), plan, ([[connection, topics], { database }]) =>
    orRefusal(forgottenName, async () => {
      const present = sourceTopics(kafka.topics).filter((topic) => topics.has(topic));
      // In this order: what is consumed in between makes the database know more, not less.
      const committed = await committedOf(connection, { groupId: kafka.groupId, topics: present }, logger);
      const [positions, recovery] = [await listPositions(database), await findRecovery(database)];
      return { findings: [judgeCommitted(committed, positions, recovery)], value: null };
    }),
  );
}
