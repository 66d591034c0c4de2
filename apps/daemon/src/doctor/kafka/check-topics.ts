import type { TopicNames } from '#contracts';
import type { InspectedTopic, KafkaConnection } from '#ingest';
import { inspectTopics } from '#ingest';
import type { Logger } from '#platform';

import type { Examination, Step } from '../examination.js';
import type { Finding } from '../finding.js';
import { failed, ok, skipped, warning } from '../finding.js';
import { readMs } from '../limits.js';
import { told } from './told.js';

const name = 'kafka.topics';
const partitionsSuggested = 12;

export type Topics = ReadonlyMap<string, InspectedTopic>;

/** The topics that are consumed. */
export function sourceTopics({ members, purchases, rewards }: TopicNames): readonly string[] {
  return [members, purchases, rewards];
}

function outTopics({ outcomes, deadLetter }: TopicNames): readonly string[] {
  return [outcomes, deadLetter].filter((topic) => topic !== null);
}

function missing(topic: string, isOut: boolean): Finding {
  const variable = isOut ? ' Or turn it off: KAFKA_TOPIC_OUTCOMES=none, KAFKA_TOPIC_DEAD_LETTER=none.' : '';
  return failed(`${name}.${topic}`, {
    detail: 'there is no such topic, or our user may not see it (DESCRIBE)',
    remedy:
      `Create it: kafka-topics.sh --bootstrap-server HOST:PORT --create --topic ${topic} --partitions ${partitionsSuggested}. ` +
      `We never create topics; we begin within seconds once it is there.${variable}`,
  });
}

function judgeTopic({ name: topic, partitions, copies, lackingCopies }: InspectedTopic): Finding {
  const at = `${name}.${topic}`;
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
    return found === undefined ? missing(topic, isOut) : judgeTopic(found);
  };
  const off = [
    ...(names.outcomes === null ? [skipped(`${name}.outcomes`, 'turned off (KAFKA_TOPIC_OUTCOMES=none)')] : []),
    ...(names.deadLetter === null ? [skipped(`${name}.dead-letter`, 'turned off (KAFKA_TOPIC_DEAD_LETTER=none)')] : []),
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
  return examination.after(connection, { name, timeoutMs: readMs, remedy }, (reached) =>
    told(name, async () => {
      const value = await inspectTopics(reached, [...sourceTopics(names), ...outTopics(names)], logger);
      return { findings: judgeTopics(names, value), value };
    }),
  );
}
