import type { DeclaredSource, ProgramsFile, TopicNames } from '#contracts';
import { doorTopic } from '#contracts';
import type { DoorSource } from '#door';
import { eventTypeOf, isSourceEventName, SOURCE_EVENT_SAMPLES } from '#events';

const eventNames = Object.keys(SOURCE_EVENT_SAMPLES).filter(isSourceEventName);

/** The native topics, each a source by the name of its subject, but for those that a declared source has taken over. */
function nativeSources({ sources = {} }: ProgramsFile, topics: TopicNames): DoorSource[] {
  const taken = new Set(Object.values(sources).flatMap((source) => source.topics));
  return (['members', 'purchases', 'rewards'] as const)
    .filter((subject) => !taken.has(topics[subject]) && !Object.hasOwn(sources, subject))
    .map((subject) => ({
      ...{ name: subject, topic: topics[subject], isCloudEvents: true, programs: null, key: null, hook: null },
      types: eventNames.filter((name) => eventTypeOf(name).subject === subject),
    }));
}

function declaredSource([name, source]: [string, DeclaredSource]): DoorSource {
  const { format, types, programs, key = null, hook = null } = source;
  return { name, topic: doorTopic(source), isCloudEvents: format === 'cloudevents', types, programs, key, hook };
}

/** What can be written at the door under that programs file. */
export function doorSourcesOf(file: ProgramsFile, topics: TopicNames): DoorSource[] {
  return [...nativeSources(file, topics), ...Object.entries(file.sources ?? {}).map(declaredSource)];
}
