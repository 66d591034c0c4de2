import type { TopicNames } from '#contracts';
import type { KafkaConnection, TopicSettings } from '#ingest';
import { inspectTopicSettings, kafkaTrouble } from '#ingest';
import type { Logger } from '#platform';

import type { Examination, Examined, Step } from '../examination.js';
import type { Finding } from '../finding.js';
import { failed, ok, skipped, troublesOr, warning } from '../finding.js';
import { concludeMs } from '../limits.js';
import { durationText } from '../quantity.js';
import type { Topics } from './check-topics.js';
import { sourceTopics } from './check-topics.js';
import { troubleText } from './describe-trouble.js';

const name = 'kafka.retention';
/** A weekend's outage, and a day to notice: what is deleted before we read it is lost. */
const retentionMsMin = 72 * 3_600_000;

function alter(topic: string, setting: string): string {
  return `kafka-configs.sh --bootstrap-server HOST:PORT --alter --entity-type topics --entity-name ${topic} --add-config ${setting}`;
}

function judgeSource({ name: topic, retentionMs, isCompacted }: TopicSettings): readonly Finding[] {
  const at = `${name}.${topic}`;
  if (isCompacted) {
    const detail =
      'cleanup.policy=compact: of each member’s records Kafka keeps only the last, the others are lost unread';
    return [failed(at, { detail, remedy: `${alter(topic, 'cleanup.policy=delete')}, today.` })];
  }
  if (retentionMs === null || retentionMs >= retentionMsMin) return [];
  const detail = `records are deleted after ${durationText(retentionMs)}, read or not`;
  const remedy = `An outage that lasts longer loses them. ${alter(topic, `retention.ms=${7 * 86_400_000}`)}`;
  return [warning(at, { detail, remedy })];
}

function judgeOut({ name: topic, isCompacted }: TopicSettings): readonly Finding[] {
  if (!isCompacted) return [];
  const detail = 'cleanup.policy=compact: consumers of it may miss all but the last event of a key';
  return [warning(`${name}.${topic}`, { detail, remedy: alter(topic, 'cleanup.policy=delete') })];
}

function toText({ name: topic, retentionMs, retentionBytes }: TopicSettings): string {
  const time = retentionMs === null ? 'for ever' : durationText(retentionMs);
  return `${topic} ${time}${retentionBytes === null ? '' : ' (and limited by size)'}`;
}

/** How long the topics keep their records, against how long we may be away. */
export function judgeRetention(names: TopicNames, settings: readonly TopicSettings[]): readonly Finding[] {
  const sources = sourceTopics(names);
  const troubles = settings.flatMap((topic) => (sources.includes(topic.name) ? judgeSource(topic) : judgeOut(topic)));
  return troublesOr(troubles, ok(name, settings.map(toText).join(', ')));
}

async function examine(
  connection: KafkaConnection,
  topics: Topics,
  { names, logger }: { readonly names: TopicNames; readonly logger: Logger },
): Promise<Examined<null>> {
  if (topics.size === 0) return { findings: [skipped(name, 'there are no topics')], value: null };
  try {
    const settings = await inspectTopicSettings(connection, [...topics.keys()], logger);
    return { findings: judgeRetention(names, settings), value: null };
  } catch (error) {
    // To work we need not know it, and many installations do not let us.
    return { findings: [skipped(name, `cannot be read: ${troubleText(kafkaTrouble(error))}`)], value: null };
  }
}

/** Retention and cleanup of the topics. */
export function checkRetention(
  examination: Examination,
  built: { readonly connection: Step<KafkaConnection>; readonly topics: Step<Topics> },
  tools: { readonly names: TopicNames; readonly logger: Logger },
): void {
  const plan = { name, timeoutMs: concludeMs, remedy: 'Run it again; if it stays, ask whoever runs the brokers.' };
  examination.after(examination.both(built.connection, built.topics), plan, ([connection, topics]) =>
    examine(connection, topics, tools),
  );
}
