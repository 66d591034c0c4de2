import type { DeclaredSource, ProgramsFile, TopicNames } from '#contracts';
import { DEFAULT_TOPICS, topicPattern } from '#contracts';
import type { InspectedTopic } from '#kafka';

/** What a source names: topics, or patterns of them. */
export interface Named {
  readonly source: string;
  readonly names: readonly string[];
  readonly patterns: readonly { readonly text: string; readonly pattern: RegExp }[];
}

export function namedBy([source, { topics }]: readonly [string, Pick<DeclaredSource, 'topics'>]): Named {
  const read = topics.map((text) => ({ text, meant: topicPattern(text) }));
  return {
    source,
    names: read.flatMap(({ meant }) => (meant !== null && 'name' in meant ? [meant.name] : [])),
    patterns: read.flatMap(({ text, meant }) =>
      meant !== null && 'pattern' in meant ? [{ text, pattern: meant.pattern }] : [],
    ),
  };
}

const subjects = ['members', 'purchases', 'rewards'] as const;

/** Which topics are read: the native ones, and those that the sources of a programs file name or mean by a pattern. */
export class ReadTopics {
  readonly named: readonly Named[];
  private readonly names: ReadonlySet<string>;
  /** Native and written ones are no pattern's. */
  private readonly own: ReadonlySet<string>;

  constructor(
    { sources = {} }: Pick<ProgramsFile, 'sources'>,
    private readonly topics: TopicNames,
  ) {
    this.named = Object.entries(sources).map(namedBy);
    this.names = new Set(this.named.flatMap((each) => each.names));
    this.own = new Set(Object.values(topics).filter((topic: string | null) => topic !== null));
  }

  get hasSources(): boolean {
    return this.named.length > 0;
  }

  /** By which events of ours come, but for those that a source names: they are that source's. */
  get native(): readonly string[] {
    return subjects.map((subject) => this.topics[subject]).filter((topic) => !this.names.has(topic));
  }

  /**
   * Whether a native topic may be missing: shops whose events all come by sources have none. Whoever gave it a name of its own
   * wants it.
   */
  isOptional(topic: string): boolean {
    const isNamed = subjects.some((subject) => this.topics[subject] === topic && DEFAULT_TOPICS[subject] !== topic);
    return this.hasSources && !isNamed;
  }

  /** Whether a pattern may match it. */
  isForPatterns(topic: string): boolean {
    // Kafka's own begin so.
    return !topic.startsWith('__') && !this.own.has(topic);
  }

  /** The sources whose patterns mean it, where none names it: of two it is read by neither. */
  matching(topic: string): readonly string[] {
    if (this.names.has(topic) || !this.isForPatterns(topic)) return [];
    return this.named.filter(({ patterns }) => patterns.some(({ pattern }) => pattern.test(topic))).map(toName);
  }

  /** Whether a source names it, or means it by a pattern. */
  isSourced(topic: string): boolean {
    return this.names.has(topic) || this.matching(topic).length > 0;
  }

  isRead(topic: string): boolean {
    return this.names.has(topic) || this.native.includes(topic) || this.matching(topic).length === 1;
  }
}

const toName = ({ source }: Named): string => source;

/** What there is of the topics that are read, and of those that are written. */
export interface FoundTopics {
  readonly wanted: ReadTopics;
  /** By name. */
  readonly found: ReadonlyMap<string, InspectedTopic>;
}

/** Those of them that are read. */
export function readOf({ wanted, found }: FoundTopics): readonly string[] {
  return [...found.keys()].filter((topic) => wanted.isRead(topic));
}
