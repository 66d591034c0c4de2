import type { TopicNames } from '#contracts';
import type { InspectedTopic, KafkaConnection, TopicSettings } from '#ingest';
import { inspectTopics, inspectTopicSettings, kafkaTrouble } from '#ingest';
import type { Logger } from '#platform';

import type { Examination, Examined, Step } from './examination.js';
import { concludeMs, readMs } from './examination.js';
import type { Finding } from './finding.js';
import { durationText, failed, ok, skipped, troublesOr, warning } from './finding.js';
import { orRefusal, troubleText } from './kafka-connection.js';

const topicsName = 'kafka.topics';
const partitionsSuggested = 12;

export type Topics = ReadonlyMap<string, InspectedTopic>;

/** The topics that are consumed. */
export function sourceTopics({ members, purchases, rewards }: TopicNames): readonly string[] {
  return [members, purchases, rewards];
}

function outTopics({ outcomes, audit, deadLetter }: TopicNames): readonly string[] {
  return [outcomes, audit, deadLetter].filter((topic) => topic !== null);
}

function missingTopic(topic: string, isOut: boolean): Finding {
  const variable = isOut
    ? ' Or turn it off: KAFKA_TOPIC_OUTCOMES=none, KAFKA_TOPIC_AUDIT=none, KAFKA_TOPIC_DEAD_LETTER=none.'
    : '';
  return failed(`${topicsName}.${topic}`, {
    detail: 'there is no such topic, or our user may not see it (DESCRIBE)',
    remedy:
      `Create it: kafka-topics.sh --bootstrap-server HOST:PORT --create --topic ${topic} --partitions ${partitionsSuggested}. ` +
      `We never create topics; we begin within seconds once it is there.${variable}`,
  });
}

function judgeTopic({ name: topic, partitions, copies, lackingCopies }: InspectedTopic): Finding {
  const at = `${topicsName}.${topic}`;
  if (lackingCopies > 0) {
    const detail = `${lackingCopies} of ${partitions} partitions lack a copy`;
    return warning(at, {
      detail,
      remedy: 'A broker is down or behind: kafka-topics.sh --describe --under-replicated-partitions.',
    });
  }
  return ok(at, `${partitions} partitions, ${copies} ${copies === 1 ? 'copy' : 'copies'}`);
}

/** The three topics that come in are shared out together: with one count each replica gets as much of each. */
export function judgePartitions(sources: readonly InspectedTopic[]): readonly Finding[] {
  const at = 'kafka.partitions';
  const counts = new Set(sources.map(({ partitions }) => partitions));
  const text = sources.map(({ name: topic, partitions }) => `${topic} ${partitions}`).join(', ');
  if (counts.size <= 1) return [ok(at, text === '' ? 'no topic to compare' : `the same everywhere: ${text}`)];
  return [
    warning(at, {
      detail: `they differ: ${text}`,
      remedy:
        'It works, but replicas get unequal shares, and a member’s events lie on different numbers. Plan for one count; ' +
        'raising one later moves keys to other partitions: let it run dry first.',
    }),
  ];
}

/** Judges what there is of the topics that should be. */
export function judgeTopics(names: TopicNames, topics: Topics): readonly Finding[] {
  const judge = (topic: string, isOut: boolean): Finding => {
    const found = topics.get(topic);
    return found === undefined ? missingTopic(topic, isOut) : judgeTopic(found);
  };
  const off = [
    ...(names.outcomes === null ? [skipped(`${topicsName}.outcomes`, 'turned off (KAFKA_TOPIC_OUTCOMES=none)')] : []),
    ...(names.audit === null ? [skipped(`${topicsName}.audit`, 'turned off (KAFKA_TOPIC_AUDIT=none)')] : []),
    ...(names.deadLetter === null
      ? [skipped(`${topicsName}.dead-letter`, 'turned off (KAFKA_TOPIC_DEAD_LETTER=none)')]
      : []),
  ];
  const sources = sourceTopics(names).flatMap((topic) => topics.get(topic) ?? []);
  return [
    ...sourceTopics(names).map((topic) => judge(topic, false)),
    ...outTopics(names).map((topic) => judge(topic, true)),
    ...off,
    ...judgePartitions(sources),
  ];
}

/** The topics exist and have what they need. Builds on what there is. */
export function checkTopics(
  examination: Examination,
  connection: Step<KafkaConnection>,
  { names, logger }: { readonly names: TopicNames; readonly logger: Logger },
): Step<Topics> {
  const remedy = 'The brokers are slow to describe their topics: look at their logs, then try again.';
  return examination.after(connection, { name: topicsName, timeoutMs: readMs, remedy }, (reached) =>
    orRefusal(topicsName, async () => {
      const value = await inspectTopics(reached, [...sourceTopics(names), ...outTopics(names)], logger);
      return { findings: judgeTopics(names, value), value };
    }),
  );
}

const retentionName = 'kafka.retention';
/** A weekend's outage, and a day to notice: what is deleted before we read it is lost. */
const retentionMsMin = 72 * 3_600_000;

function alterCommand(topic: string, setting: string): string {
  return `kafka-configs.sh --bootstrap-server HOST:PORT --alter --entity-type topics --entity-name ${topic} --add-config ${setting}`;
}

function judgeSourceRetention({ name: topic, retentionMs, isCompacted }: TopicSettings): readonly Finding[] {
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

function judgeOutRetention({ name: topic, isCompacted }: TopicSettings): readonly Finding[] {
  if (!isCompacted) return [];
  const detail = 'cleanup.policy=compact: consumers of it may miss all but the last event of a key';
  return [warning(`${retentionName}.${topic}`, { detail, remedy: alterCommand(topic, 'cleanup.policy=delete') })];
}

function retentionText({ name: topic, retentionMs, retentionBytes }: TopicSettings): string {
  const time = retentionMs === null ? 'for ever' : durationText(retentionMs);
  return `${topic} ${time}${retentionBytes === null ? '' : ' (and limited by size)'}`;
}

/** How long the topics keep their records, against how long we may be away. */
export function judgeRetention(names: TopicNames, settings: readonly TopicSettings[]): readonly Finding[] {
  const sources = sourceTopics(names);
  const troubles = settings.flatMap((topic) =>
    sources.includes(topic.name) ? judgeSourceRetention(topic) : judgeOutRetention(topic),
  );
  return troublesOr(troubles, ok(retentionName, settings.map(retentionText).join(', ')));
}

async function examineRetention(
  connection: KafkaConnection,
  topics: Topics,
  { names, logger }: { readonly names: TopicNames; readonly logger: Logger },
): Promise<Examined<null>> {
  if (topics.size === 0) return { findings: [skipped(retentionName, 'there are no topics')], value: null };
  try {
    const settings = await inspectTopicSettings(connection, [...topics.keys()], logger);
    return { findings: judgeRetention(names, settings), value: null };
  } catch (error) {
    // To work we need not know it, and many installations do not let us.
    return { findings: [skipped(retentionName, `cannot be read: ${troubleText(kafkaTrouble(error))}`)], value: null };
  }
}

/** Retention and cleanup of the topics. */
export function checkRetention(
  examination: Examination,
  built: { readonly connection: Step<KafkaConnection>; readonly topics: Step<Topics> },
  tools: { readonly names: TopicNames; readonly logger: Logger },
): void {
  const plan = {
    name: retentionName,
    timeoutMs: concludeMs,
    remedy: 'Run it again; if it stays, ask whoever runs the brokers.',
  };
  examination.after(examination.both(built.connection, built.topics), plan, ([connection, topics]) =>
    examineRetention(connection, topics, tools),
  );
}
