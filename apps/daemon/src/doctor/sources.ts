import { insyncReplicasMin, judgeDurability, tooFewRemedy } from '#door';
import type { SchemaLook } from '#events/formats';
import {
  isFormat,
  lookAtSchema,
  needsRegistry,
  registrySettings,
  SchemaRegistry,
  UnavailableError,
} from '#events/formats';
import type { InspectedTopic, ReadRights, TopicSettings } from '#kafka';
import { kafkaProblem } from '#kafka';

import type { Given } from './checks.js';
import type { Finding } from './finding.js';
import { failed, nameList, ok, skipped, troublesOr, warning } from './finding.js';
import { kafkaOf } from './kafka.js';
import { orRefusal, troubleText } from './kafka-connection.js';
import type { FoundTopics, Named } from './read-topics.js';
import { namedBy } from './read-topics.js';

const topicsName = 'sources.topics';
const rightsName = 'sources.rights';
const replicasName = 'sources.replicas';
const registryName = 'sources.registry';

function judgeNamed({ source, names }: Named, topics: ReadonlyMap<string, InspectedTopic>): readonly Finding[] {
  return names.map((topic) => {
    const found = topics.get(topic);
    const at = `${topicsName}.${topic}`;
    if (found !== undefined) return ok(at, `of ${source}: ${found.partitions} partitions`);
    return failed(at, {
      detail: `of ${source}: there is no such topic, or our user may not see it (DESCRIBE)`,
      remedy:
        'Create it, or mend its name in the programs file. We never create topics; we begin within seconds once it is there.',
    });
  });
}

function judgePatterns({ source, patterns }: Named, { wanted, found }: FoundTopics): readonly Finding[] {
  const meant = [...found.keys()].filter((topic) => wanted.isForPatterns(topic));
  const unmatched = patterns.filter(({ pattern }) => !meant.some((topic) => pattern.test(topic)));
  return unmatched.map(({ text }) =>
    warning(`${topicsName}.${source}.${text}`, {
      detail: `no topic matches ${text} that our user may see, and that has no other use`,
      remedy: 'A pattern must match the whole name. Topics that come later are found within 30 s.',
    }),
  );
}

/** Those that patterns of two sources match, and none names. */
function judgeContested({ wanted, found }: FoundTopics): readonly Finding[] {
  return [...found.keys()].flatMap((topic) => {
    const sources = wanted.matching(topic);
    if (sources.length < 2) return [];
    return failed(`${topicsName}.${topic}`, {
      detail: `patterns of ${nameList(sources)} match it: it is read by neither`,
      remedy: 'Name it among the topics of the one whose it is.',
    });
  });
}

/** Whether there is what the sources name. */
export function judgeSourceTopics(topics: FoundTopics): readonly Finding[] {
  const { wanted, found } = topics;
  const judged = wanted.named.flatMap((each) => [...judgeNamed(each, found), ...judgePatterns(each, topics)]);
  const count = [...found.keys()].filter((topic) => wanted.isSourced(topic)).length;
  return troublesOr([...judged, ...judgeContested(topics)], ok(topicsName, `${count} topics of patterns`));
}

/** Whether we may read what we should. */
export function judgeRights(groupId: string, { topics, group }: ReadRights): readonly Finding[] {
  const refused = [...topics].filter(([, may]) => may === false).map(([topic]) => topic);
  const troubles = [
    ...refused.map((topic) =>
      failed(`${rightsName}.${topic}`, {
        detail: 'our Kafka user may not read it',
        remedy: `kafka-acls.sh --bootstrap-server HOST:PORT --add --allow-principal User:NAME --operation Read --operation Describe --topic ${topic}`,
      }),
    ),
    ...(group === false
      ? [
          failed(`${rightsName}.group`, {
            detail: `our Kafka user may not read in the group ${groupId}`,
            remedy: `kafka-acls.sh --bootstrap-server HOST:PORT --add --allow-principal User:NAME --operation Read --operation Describe --group ${groupId}`,
          }),
        ]
      : []),
  ];
  const isUntold = group === null && [...topics.values()].every((may) => may === null);
  const well = isUntold
    ? skipped(rightsName, 'the brokers do not say what our user may do')
    : ok(rightsName, `our user may read ${topics.size} topics, in the group ${groupId}`);
  return troublesOr(troubles, well);
}

/** Whether what the shops' producers are told is kept outlives a broker. */
export function judgeReplicas(settings: readonly TopicSettings[], brokers: number): Finding {
  const few = settings.filter(({ minInsyncReplicas }) => judgeDurability(brokers, minInsyncReplicas) === 'too-few');
  const [first] = few;
  if (brokers === 1) return ok(replicasName, 'the cluster has one broker, as in development');
  if (first === undefined) {
    return ok(replicasName, `what they acknowledge to acks=all ${insyncReplicasMin} replicas have`);
  }
  const detail = `min.insync.replicas below ${insyncReplicasMin}: one broker alone may acknowledge, and what it loses is lost: ${nameList(few.map(({ name }) => name))}`;
  return warning(replicasName, { detail, remedy: tooFewRemedy(first.name) });
}

type Look = Given<'kafka' | 'topics'>;

/** The topics of sources: that they exist, and may be read. */
export async function checkSourceTopics(given: Look): Promise<readonly Finding[]> {
  const { topics } = given;
  if (!topics.wanted.hasSources) return [skipped(topicsName, 'no sources are declared')];
  return orRefusal(topicsName, async () => {
    const judged = judgeSourceTopics(topics);
    const names = [...topics.found.keys()].filter((topic) => topics.wanted.isSourced(topic));
    if (names.length === 0) return judged;
    return [...judged, ...(await checkReplicas(given, names)), ...(await checkRights(given, names))];
  });
}

async function checkReplicas({ kafka }: Look, names: readonly string[]): Promise<readonly Finding[]> {
  try {
    const [settings, brokers] = [await kafka.topicSettings(names), await kafka.brokers()];
    return [judgeReplicas(settings, brokers.length)];
  } catch (error) {
    // To work we need not know it, and many installations do not let us.
    return [skipped(replicasName, `cannot be read: ${troubleText(kafkaProblem(error))}`)];
  }
}

async function checkRights({ environment, kafka }: Look, names: readonly string[]): Promise<readonly Finding[]> {
  const { groupId } = kafkaOf({ environment });
  try {
    return judgeRights(groupId, await kafka.readRights(names, groupId));
  } catch (error) {
    return [skipped(rightsName, `cannot be read: ${troubleText(kafkaProblem(error))}`)];
  }
}

/** By the name that serializers give a topic's values, unless they were told another one. */
const subjectOf = (topic: string): string => `${topic}-value`;

/** What the registry has for a source. */
export function judgeSchema(topic: string, look: SchemaLook): Finding {
  const at = `${registryName}.${topic}`;
  const subject = subjectOf(topic);
  switch (look.kind) {
    case 'readable':
      return ok(at, `the newest schema of ${subject} can be read`);
    case 'absent':
      return skipped(at, `no ${subject}: nothing was produced yet, or its subject has another name`);
    case 'unreadable': {
      const remedy =
        'Does the format that the source names fit what is produced? What no schema reads is set aside, and not lost.';
      return failed(at, { detail: `the newest schema of ${subject} ${look.detail}`, remedy });
    }
  }
}

/** The newest schema of each topic that a source names by its name. */
export async function checkSchemas({ environment, programs, clock }: Given<'programs'>): Promise<readonly Finding[]> {
  const { schemaRegistry } = environment;
  const sources = Object.entries(programs.loaded.file.sources ?? {});
  const asked = sources.flatMap(([, source]) => {
    const { format } = source;
    if (!isFormat(format) || !needsRegistry(format)) return [];
    return namedBy(['', source]).names.map((topic) => ({ topic, format }));
  });
  if (schemaRegistry === null || asked.length === 0) return [skipped(registryName, 'no source needs it')];
  const registry = new SchemaRegistry(() => registrySettings(schemaRegistry), clock);
  const found: Finding[] = [];
  try {
    for (const { topic, format } of asked) {
      found.push(judgeSchema(topic, await lookAtSchema(registry, format, subjectOf(topic))));
    }
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    return [skipped(registryName, 'see kafka.registry: it cannot be used')];
  }
  return found;
}
