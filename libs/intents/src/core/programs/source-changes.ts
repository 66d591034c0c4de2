import type { DeclaredSource, ProgramsFile } from '#contracts';

import type { DangerousChange, IsThere } from './dangerous-changes.js';

/** What there is of topics, each by its name. */
export interface TopicFacts {
  /** Of which something was read. */
  readonly read: ReadonlySet<string>;
  /** Of which records are set aside, and nobody has dealt with them. */
  readonly aside: ReadonlySet<string>;
}

/** What a topic of a source means; null: nothing that can be read. */
export type TopicMeaning = (text: string) => { readonly name: string } | { readonly pattern: RegExp } | null;

type Sources = Readonly<Record<string, DeclaredSource>>;

/** Whose a topic is, by its name before by a pattern. Null: no source's, or that of several. */
type SourceOf = (sources: Sources, topic: string) => string | null;

const sourceBy =
  (meaningOf: TopicMeaning): SourceOf =>
  (sources, topic) => {
    const owners = (isTheirs: (meant: NonNullable<ReturnType<TopicMeaning>>) => boolean): string[] =>
      Object.entries(sources)
        .filter(([, { topics }]) => topics.map(meaningOf).some((meant) => meant !== null && isTheirs(meant)))
        .map(([name]) => name);
    const [named] = owners((meant) => 'name' in meant && meant.name === topic);
    if (named !== undefined) return named;
    const matching = owners((meant) => 'pattern' in meant && meant.pattern.test(topic));
    return matching.length === 1 ? (matching[0] ?? null) : null;
  };

interface Files {
  readonly before: Sources;
  readonly after: Sources;
}

interface Known {
  readonly facts: TopicFacts;
  readonly sourceOf: SourceOf;
}

interface Said {
  readonly source: string;
  readonly setting: string;
  readonly what: string;
  readonly instead: string;
  readonly accepting: string;
}

function dangerousChange({ source, setting, what, instead, accepting }: Said): DangerousChange {
  const name = `sources.${source}.${setting}`;
  return {
    program: '',
    name,
    problem: `${name}: ${what}; ${instead}, or accept ${name}: ${accepting}`,
    isAcceptable: true,
  };
}

/** Another name of the same. */
const isSame = (one: DeclaredSource | undefined, other: DeclaredSource | undefined): boolean =>
  one !== undefined && other !== undefined && JSON.stringify(one) === JSON.stringify(other);

/** Topics that were read, and are another source's or nobody's now. */
function movedTopics({ before, after }: Files, { facts, sourceOf }: Known): DangerousChange[] {
  const moves = [...facts.read].flatMap((topic) => {
    const [was, is] = [sourceOf(before, topic), sourceOf(after, topic)];
    if (was === is || (was !== null && is !== null && isSame(before[was], after[is]))) return [];
    return [{ topic, was, is, source: was ?? is ?? '' }];
  });
  return [...Map.groupBy(moves, ({ source }) => source)].map(([source, own]) => {
    const whose = (name: string | null): string => name ?? 'no source';
    const list = own.map(({ topic, was, is }) => `${topic} was of ${whose(was)} and becomes of ${whose(is)}`);
    return dangerousChange({
      ...{ source, setting: 'topics' },
      what: `${list.join(', ')}: what it still holds, and what of it is set aside, is read by what the new one says, or not at all`,
      instead: 'keep it until all of it is read',
      accepting: 'what is unread is read otherwise; what nobody reads stays in Kafka until its retention ends',
    });
  });
}

const without = (before: readonly string[], after: readonly string[]): string[] =>
  before.filter((each) => !after.includes(each));

/** Records are put into partitions by the key: what was written under the old one may be read after what comes under the new one. */
function changedKey(source: string, before: DeclaredSource, after: DeclaredSource): Said[] {
  if ((before.key ?? null) === (after.key ?? null)) return [];
  return [
    {
      ...{ source, setting: 'key' },
      what: "what comes by HTTP goes to other partitions than before: what is newer of a member may be read before what is older, and a sale's refund before the sale",
      instead: 'keep it until all that the topic holds is read (kafka.lag)',
      accepting: 'all of it is read, or their order does not matter',
    },
  ];
}

/** What of a source is set aside could not be taken in any more. */
function narrowed(source: string, before: DeclaredSource, after: DeclaredSource): Said[] {
  const lists = (['types', 'programs'] as const).flatMap((setting) => {
    const gone = without(before[setting], after[setting]);
    return gone.length === 0 ? [] : [{ setting, what: `${gone.join(', ')} is taken away` }];
  });
  const formats =
    before.format === after.format
      ? []
      : [{ setting: 'format', what: `it was ${before.format} and becomes ${after.format}` }];
  return [...lists, ...formats].map(({ setting, what }) => ({
    ...{ source, setting },
    what: `${what}, while records of it are set aside: taken in again they would be refused`,
    instead: 'deal with these first',
    accepting: 'they can only be discarded',
  }));
}

const rights = {
  erase: 'its records may have members erased, for good',
  merge: 'its records may have members merged',
} as const;

function addedRights(before: Sources, after: Sources, isThere: IsThere): DangerousChange[] {
  return Object.entries(after).flatMap(([source, { may, programs }]) => {
    const had = Object.hasOwn(before, source) ? (before[source]?.may ?? []) : [];
    const hasMembers = programs.some((program) => isThere(program, { kind: 'members' }));
    return may
      .filter((right) => !had.includes(right) && hasMembers)
      .map((right) =>
        dangerousChange({
          ...{ source, setting: `may.${right}` },
          what: `${rights[right]}, where the program lets events do that`,
          instead: 'leave it out, so that a person decides',
          accepting: 'whoever may write to its topics may do that',
        }),
      );
  });
}

function settingsOf(source: string, { before, after }: Files, { facts, sourceOf }: Known): Said[] {
  const [was, is] = [before[source], Object.hasOwn(after, source) ? after[source] : undefined];
  if (was === undefined || is === undefined) return [];
  const isOf = (topics: ReadonlySet<string>): boolean =>
    [...topics].some((topic) => sourceOf(before, topic) === source && sourceOf(after, topic) === source);
  return [
    ...(isOf(facts.read) ? changedKey(source, was, is) : []),
    ...(isOf(facts.aside) ? narrowed(source, was, is) : []),
  ];
}

interface Asked {
  readonly facts: TopicFacts;
  readonly isThere: IsThere;
  readonly meaningOf: TopicMeaning;
}

/**
 * What in the sources of a programs file would do harm in place of those in force. A changed map does none: what was recorded
 * stays, and what is set aside is to be taken in by the new one. Pure.
 */
export function dangerousSourceChanges(
  { sources: before = {} }: Pick<ProgramsFile, 'sources'>,
  { sources: after = {} }: Pick<ProgramsFile, 'sources'>,
  { facts, isThere, meaningOf }: Asked,
): DangerousChange[] {
  const [files, known] = [
    { before, after },
    { facts, sourceOf: sourceBy(meaningOf) },
  ];
  const settings = Object.keys(before).flatMap((source) => settingsOf(source, files, known));
  return [...movedTopics(files, known), ...settings.map(dangerousChange), ...addedRights(before, after, isThere)];
}
