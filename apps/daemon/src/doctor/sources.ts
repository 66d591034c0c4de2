import type { DeclaredSource, ProgramsFile } from '#contracts';
import { topicPattern } from '#contracts';
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
import { listPositions } from '#intents';
import type { InspectedTopic, ReadRights, TopicSettings } from '#kafka';
import { kafkaProblem } from '#kafka';

import type { Given } from './checks.js';
import type { Finding } from './finding.js';
import { failed, nameList, ok, skipped, troublesOr, warning } from './finding.js';
import { judgePositions, judgeRetention, lookUpPositions } from './kafka.js';
import { orRefusal, troubleText } from './kafka-connection.js';

const topicsName = 'sources.topics';
const rightsName = 'sources.rights';
const replicasName = 'sources.replicas';
const retentionName = 'sources.retention';
const lagName = 'sources.lag';
const registryName = 'sources.registry';

/** What each source names: topics, or patterns of them. */
interface Named {
  readonly source: string;
  readonly names: readonly string[];
  readonly patterns: readonly { readonly text: string; readonly pattern: RegExp }[];
}

function namedBy([source, { topics }]: readonly [string, Pick<DeclaredSource, 'topics'>]): Named {
  const read = topics.map((text) => ({ text, meant: topicPattern(text) }));
  return {
    source,
    names: read.flatMap(({ meant }) => (meant !== null && 'name' in meant ? [meant.name] : [])),
    patterns: read.flatMap(({ text, meant }) =>
      meant !== null && 'pattern' in meant ? [{ text, pattern: meant.pattern }] : [],
    ),
  };
}

const namedIn = ({ sources = {} }: Pick<ProgramsFile, 'sources'>): readonly Named[] =>
  Object.entries(sources).map(namedBy);

/** Kafka's own, and those that we write, are no source's. */
const isForSources = (topic: string, written: ReadonlySet<string>): boolean =>
  !topic.startsWith('__') && !written.has(topic);

/** The sources whose patterns match a topic. */
const matching = (named: readonly Named[], topic: string): readonly string[] =>
  named.filter(({ patterns }) => patterns.some(({ pattern }) => pattern.test(topic))).map(({ source }) => source);

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

function judgePatterns({ source, patterns }: Named, topics: ReadonlyMap<string, InspectedTopic>): readonly Finding[] {
  const unmatched = patterns.filter(({ pattern }) => ![...topics.keys()].some((topic) => pattern.test(topic)));
  return unmatched.map(({ text }) =>
    warning(`${topicsName}.${source}.${text}`, {
      detail: `no topic matches ${text} that our user may see`,
      remedy: 'A pattern must match the whole name. Topics that come later are found within 30 s.',
    }),
  );
}

/** Those that patterns of two sources match, and none names. */
function judgeContested(named: readonly Named[], topics: ReadonlyMap<string, InspectedTopic>): readonly Finding[] {
  const names = new Set(named.flatMap((each) => each.names));
  return [...topics.keys()].flatMap((topic) => {
    const sources = names.has(topic) ? [] : matching(named, topic);
    if (sources.length < 2) return [];
    return failed(`${topicsName}.${topic}`, {
      detail: `patterns of ${nameList(sources)} match it: it is read by neither`,
      remedy: 'Name it among the topics of the one whose it is.',
    });
  });
}

/** Whether there is what the sources name. @param topics all that a name or a pattern means */
export function judgeSourceTopics(
  file: Pick<ProgramsFile, 'sources'>,
  topics: ReadonlyMap<string, InspectedTopic>,
): readonly Finding[] {
  const named = namedIn(file);
  const found = named.flatMap((each) => [...judgeNamed(each, topics), ...judgePatterns(each, topics)]);
  return troublesOr([...found, ...judgeContested(named, topics)], ok(topicsName, `${topics.size} topics of patterns`));
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

type Look = Given<'kafka' | 'programs'>;

function kafkaOf({ environment: { kafka } }: Pick<Look, 'environment'>): NonNullable<typeof kafka> {
  if (kafka === null) throw new Error('a connection without settings');
  return kafka;
}

/** Topics that there are of those that sources name, or mean by a pattern. */
async function findTopics(given: Look): Promise<ReadonlyMap<string, InspectedTopic>> {
  const { deadLetter, outcomes, audit } = kafkaOf(given).topics;
  const written = new Set([deadLetter, outcomes, audit].filter((topic) => topic !== null));
  const named = namedIn(given.programs.loaded.file);
  const names = new Set(named.flatMap((each) => each.names));
  return given.kafka.topics(
    (topic) => names.has(topic) || (isForSources(topic, written) && matching(named, topic).length > 0),
  );
}

const hasNone = ({ programs }: Pick<Look, 'programs'>): boolean =>
  Object.keys(programs.loaded.file.sources ?? {}).length === 0;

/** The topics of sources: that they exist, may be read and are kept. */
export async function checkSourceTopics(given: Look): Promise<readonly Finding[]> {
  if (hasNone(given)) return [skipped(topicsName, 'no sources are declared')];
  return orRefusal(topicsName, async () => {
    const topics = await findTopics(given);
    const found = judgeSourceTopics(given.programs.loaded.file, topics);
    if (topics.size === 0) return found;
    const names = [...topics.keys()];
    return [...found, ...(await checkSettings(given, names)), ...(await checkRights(given, names))];
  });
}

async function checkSettings({ kafka }: Look, names: readonly string[]): Promise<readonly Finding[]> {
  try {
    const [settings, brokers] = [await kafka.topicSettings(names), await kafka.brokers()];
    const kept = judgeRetention(settings).map((finding) => ({
      ...finding,
      name: finding.name.replace(/^kafka\.retention/, retentionName),
    }));
    return [judgeReplicas(settings, brokers.length), ...kept];
  } catch (error) {
    // To work we need not know it, and many installations do not let us.
    return [skipped(replicasName, `cannot be read: ${troubleText(kafkaProblem(error))}`)];
  }
}

async function checkRights(given: Look, names: readonly string[]): Promise<readonly Finding[]> {
  const { groupId } = kafkaOf(given);
  try {
    return judgeRights(groupId, await given.kafka.readRights(names, groupId));
  } catch (error) {
    return [skipped(rightsName, `cannot be read: ${troubleText(kafkaProblem(error))}`)];
  }
}

/** How far behind we are in them. */
export async function checkSourceLag(given: Given<'kafka' | 'programs' | 'store'>): Promise<readonly Finding[]> {
  if (hasNone(given)) return [skipped(lagName, 'no sources are declared')];
  const { kafka, store } = given;
  const native: readonly (string | null)[] = Object.values(kafkaOf(given).topics);
  return orRefusal(lagName, async () => {
    const names = [...(await findTopics(given)).keys()].filter((name) => !native.includes(name));
    const looked = await lookUpPositions(
      () => listPositions(store.database),
      () => kafka.ends(names),
    );
    const found = judgePositions(looked).filter(({ name }) => name !== 'kafka.gap');
    return found.map((finding) => (finding.name === 'kafka.lag' ? { ...finding, name: lagName } : finding));
  });
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
