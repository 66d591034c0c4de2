import type { TopicNames } from '#contracts';
import type {
  Admin,
  CommittedOffset,
  InspectedGroup,
  InspectedTopic,
  OpenTransaction,
  PartitionEnds,
  TopicSettings,
} from '#kafka';
import { kafkaProblem, shareShards } from '#kafka';
import type { IngestedPosition, RecoveryStatus } from '#intents';
import { findOwnership, findRecovery, listPositions } from '#intents';

import type { Given } from './checks.js';
import type { Finding } from './finding.js';
import { durationText, failed, nameList, ok, skipped, troublesOr, warning } from './finding.js';
import { orRefusal, troubleRemedy, troubleText } from './kafka-connection.js';
import type { FoundTopics } from './read-topics.js';
import { readOf, ReadTopics } from './read-topics.js';

const topicsName = 'kafka.topics';
const partitionsSuggested = 12;

/** By the word that their variable ends with. */
function outTopics({ outcomes, audit, deadLetter }: TopicNames): readonly (readonly [string, string | null])[] {
  return [
    ['OUTCOMES', outcomes],
    ['AUDIT', audit],
    ['DEAD_LETTER', deadLetter],
  ];
}

/** What the settings of Kafka name; a connection was made by them. */
export function kafkaOf({ environment: { kafka } }: Pick<Given, 'environment'>): NonNullable<typeof kafka> {
  if (kafka === null) throw new Error('a connection without settings');
  return kafka;
}

/** A native topic that is missing, and that nobody need miss. */
function judgeUnused(topic: string): Finding {
  const detail = 'there is no such topic: well as long as all events come by the declared sources';
  return skipped(`${topicsName}.${topic}`, detail);
}

function judgeTopic(topic: string, found: InspectedTopic | undefined, outVariable: string | null): Finding {
  const at = `${topicsName}.${topic}`;
  if (found !== undefined) return ok(at, `${found.partitions} partitions`);
  const orOff = outVariable === null ? '' : ` Or turn it off: KAFKA_TOPIC_${outVariable}=none.`;
  return failed(at, {
    detail: 'there is no such topic, or our user may not see it (DESCRIBE)',
    remedy:
      `Create it: kafka-topics.sh --bootstrap-server HOST:PORT --create --topic ${topic} --partitions ${partitionsSuggested}. ` +
      `We never create topics; we begin within seconds once it is there.${orOff}`,
  });
}

/** Judges what there is of the topics that should be, but for those of sources; those that were turned off are not asked for. */
export function judgeTopics(names: TopicNames, { wanted, found }: FoundTopics): readonly Finding[] {
  const native = wanted.native.map((topic) =>
    !found.has(topic) && wanted.isOptional(topic) ? judgeUnused(topic) : judgeTopic(topic, found.get(topic), null),
  );
  const out = outTopics(names).flatMap(([variable, topic]) =>
    topic === null ? [] : [judgeTopic(topic, found.get(topic), variable)],
  );
  return [...native, ...out];
}

/** The topics exist. Where the programs file cannot be read, nobody knows of sources. */
export async function checkTopics(given: Given<'kafka'>): Promise<readonly Finding[]> {
  const { topics: names } = kafkaOf(given);
  const wanted = new ReadTopics(given.opened.programs?.loaded.file ?? {}, names);
  const out = outTopics(names).flatMap(([, topic]) => topic ?? []);
  return orRefusal(topicsName, async () => {
    const found = await given.kafka.topics(
      (topic) => out.includes(topic) || wanted.isRead(topic) || wanted.isSourced(topic),
    );
    given.opened.topics = { wanted, found };
    return judgeTopics(names, { wanted, found });
  });
}

const retentionName = 'kafka.retention';
/** A weekend's outage, and a day to notice: what is deleted before we read it is lost. */
const retentionMsMin = 72 * 3_600_000;

function alterCommand(topic: string, setting: string): string {
  return `kafka-configs.sh --bootstrap-server HOST:PORT --alter --entity-type topics --entity-name ${topic} --add-config ${setting}`;
}

function judgeKept({ name: topic, retentionMs, isCompacted }: TopicSettings): readonly Finding[] {
  const at = `${retentionName}.${topic}`;
  if (isCompacted) {
    const detail =
      'cleanup.policy=compact: of each member’s records Kafka keeps only the last, the others are lost unread';
    return [failed(at, { detail, remedy: `${alterCommand(topic, 'cleanup.policy=delete')}, today.` })];
  }
  if (retentionMs === null || retentionMs >= retentionMsMin) return [];
  const detail = `records are deleted after ${durationText(retentionMs)}, read or not`;
  const remedy = `An outage that lasts longer loses them. ${alterCommand(topic, `retention.ms=${7 * 86_400_000}`)}`;
  return [warning(at, { detail, remedy })];
}

/** How long the topics that are read keep their records, against how long we may be away. */
export function judgeRetention(settings: readonly TopicSettings[]): readonly Finding[] {
  const textOf = ({ name, retentionMs }: TopicSettings): string =>
    `${name} ${retentionMs === null ? 'for ever' : durationText(retentionMs)}`;
  return troublesOr(settings.flatMap(judgeKept), ok(retentionName, settings.map(textOf).join(', ')));
}

export async function checkRetention(given: Given<'kafka' | 'topics'>): Promise<readonly Finding[]> {
  const present = readOf(given.topics);
  if (present.length === 0) return [skipped(retentionName, 'there are no topics')];
  try {
    return judgeRetention(await given.kafka.topicSettings(present));
  } catch (error) {
    // To work we need not know it, and many installations do not let us.
    return [skipped(retentionName, `cannot be read: ${troubleText(kafkaProblem(error))}`)];
  }
}

const groupName = 'kafka.group';
const ownerName = 'kafka.group-owner';
const shardsName = 'kafka.shards';

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

/** Whether the consumer group has members. */
export async function checkGroup(given: Given<'kafka'>): Promise<readonly Finding[]> {
  const { groupId } = kafkaOf(given);
  return orRefusal(groupName, async () => {
    try {
      const group = await given.kafka.group(groupId);
      given.opened.group = group;
      return [judgeGroup(groupId, group)];
    } catch (error) {
      const trouble = kafkaProblem(error);
      if (trouble.kind !== 'no-coordinator') throw error;
      // A cluster that has never had a group answers so: no failure before the first start.
      return [warning(groupName, { detail: troubleText(trouble), remedy: troubleRemedy(trouble) })];
    }
  });
}

/** Whether each partition of a shop's group is read by the one database that owns it. */
export function judgeShards(
  { members }: InspectedGroup['shards'],
  topics: ReadonlyMap<string, readonly number[]>,
): Finding {
  const { unread } = shareShards(members, topics);
  if (unread.length === 0) return ok(shardsName, `every partition is read by the database that owns it`);
  const texts = unread.map(({ topic, partition, reason }) => `${topic}/${partition} (${reason})`);
  return failed(shardsName, {
    detail: `read by nobody: ${nameList(texts)}`,
    remedy: 'Are the daemons of every shard there, each on its own database? docs/runbooks/LoyaltydUnreadPartitions.md',
  });
}

export async function checkShards(given: Given<'group' | 'kafka' | 'store'>): Promise<readonly Finding[]> {
  const { group, kafka, store } = given;
  const { shard = null } = (await findOwnership(store.database)) ?? {};
  if (shard === null) return [];
  return orRefusal(shardsName, async () => {
    const topics = await kafka.topics(group.shards.topics);
    const numbers = [...topics.values()].map(
      ({ name, partitions }) => [name, Array.from({ length: partitions }, (_, number) => number)] as const,
    );
    return [judgeShards(group.shards, new Map(numbers))];
  });
}

/** Whose the group is. */
export async function checkGroupOwner(given: Given<'group' | 'keys' | 'store'>): Promise<readonly Finding[]> {
  const { groupId } = kafkaOf(given);
  const shard = (await findOwnership(given.store.database))?.shard ?? null;
  const isOwn = given.group.isOwn(given.keys.mac, shard?.shop ?? null);
  if (isOwn === null) return [skipped(ownerName, 'nobody is in the group')];
  if (isOwn) return [ok(ownerName, `${groupId} consumes into this database`)];
  const detail = `${groupId} consumes into another database: the broker lets nobody in who consumes into this one`;
  return [failed(ownerName, { detail, remedy: 'Give each database a KAFKA_GROUP_ID of its own, then start again.' })];
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

/** A topic that may be missing, but of which something was read: somebody used it. */
export function judgeGone({ wanted, found }: FoundTopics, positions: readonly IngestedPosition[]): readonly Finding[] {
  const readOnce = new Set(positions.map(({ topic }) => topic));
  const gone = wanted.native.filter((topic) => !found.has(topic) && wanted.isOptional(topic) && readOnce.has(topic));
  return gone.map((topic) =>
    failed(`kafka.gap.${topic}`, {
      detail: 'we have read of it, and now there is no such topic, or our user may not see it (DESCRIBE)',
      remedy: 'Does anybody still send events of ours by it? Then create it again, or mend our rights.',
    }),
  );
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
export async function checkPositions(given: Given<'kafka' | 'topics' | 'store'>): Promise<readonly Finding[]> {
  const { kafka, topics, store, clock } = given;
  return orRefusal(lagName, async () => {
    const present = readOf(topics);
    const looked = await lookUpPositions(
      () => listPositions(store.database),
      () => kafka.ends(present),
    );
    const open = await kafka.openTransactions(hiddenPlaces(looked.watermarks)).catch(() => []);
    const judged = [...judgePositions(looked), ...judgeGone(topics, looked.after)];
    return [...judged, ...judgeOpenTransactions(looked.watermarks, open, clock.now())];
  });
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
async function committedOf(
  kafka: Admin,
  groupId: string,
  topics: readonly string[],
): Promise<readonly CommittedOffset[]> {
  try {
    return await kafka.committed(groupId, topics);
  } catch (error) {
    if (kafkaProblem(error).kind === 'no-coordinator') return [];
    throw error;
  }
}

/** Whether Kafka remembers more of our group than the database does. */
export async function checkRestored(given: Given<'kafka' | 'topics' | 'store'>): Promise<readonly Finding[]> {
  const { kafka, topics, store } = given;
  const { groupId } = kafkaOf(given);
  return orRefusal(forgottenName, async () => {
    // In this order: what is consumed in between makes the database know more, not less.
    const committed = await committedOf(kafka, groupId, readOf(topics));
    const [positions, recovery] = [await listPositions(store.database), await findRecovery(store.database)];
    return [judgeCommitted(committed, positions, recovery)];
  });
}
