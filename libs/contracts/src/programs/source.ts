import type { Hook } from './hook-schema.js';

/**
 * Where events come from besides the native topics: which topics, how their records are written, what is made of them, and
 * what they may say. Every default is filled in, and a `mapFile` is the text that it held.
 */
export interface DeclaredSource {
  /** Names of topics, or patterns between slashes; see `topicPattern`. */
  readonly topics: readonly string[];
  /** How records are written: the name of a format. */
  readonly format: string;
  /** JSONata: what a document becomes; `null` where records are events already. */
  readonly map: string | null;
  /** Names of event types without prefix: what the source may say. */
  readonly types: readonly string[];
  /** Names of programs: whom it may speak for. */
  readonly programs: readonly string[];
  /** What it may have done besides; the program's `eventsMay` must let it, too. */
  readonly may: readonly SourceRight[];
  /** Of a database's changes those that change a row, too. Absent: they are ignored. */
  readonly updates?: boolean;
  /** JSONata: the key of the record that the HTTP door writes. */
  readonly key?: string;
  /** How signed webhooks come by the HTTP door. */
  readonly hook?: Hook;
}

export type SourceRight = 'erase' | 'merge';

/** The topic that the HTTP door writes to: the only one that a source has by its name; null: there is none, or several. */
export function doorTopic({ topics }: Pick<DeclaredSource, 'topics'>): string | null {
  const named = topics.flatMap((topic) => {
    const read = topicPattern(topic);
    return read !== null && 'name' in read ? [read.name] : [];
  });
  return named.length === 1 ? (named[0] ?? null) : null;
}

/** Kafka's own rule; `.` and `..` are none. */
const topicName = /^(?!\.{1,2}$)[\w.-]{1,249}$/;

/** The most expensive pattern that is taken looks at a topic's name some million times. */
const repeatsMax = 3;
const patternLengthMax = 200;

/** What a pattern is made of: a character, a set or `.`, repeated or not, and the ends. */
const patternPart = /\\[.\-_dw]|\[\^?[\w.-]+\]|[\w.-]|[*+?|^$()]/y;

/**
 * What a topic of a source is called, or what its name must match as a whole, without the slashes; null: neither can be read.
 * A pattern has no repeated groups and few repetitions: none takes long over a name.
 */
export function topicPattern(topic: string): { readonly name: string } | { readonly pattern: RegExp } | null {
  const inner = /^\/(.+)\/$/s.exec(topic)?.[1];
  if (inner === undefined) return topicName.test(topic) ? { name: topic } : null;
  return isCheapPattern(inner) ? readPattern(inner) : null;
}

function isCheapPattern(text: string): boolean {
  if (text.length > patternLengthMax || /\([?*+]|\)[*+?]|[*+?]{2}/.test(text)) return false;
  patternPart.lastIndex = 0;
  let repeats = 0;
  for (let at = 0; at < text.length; at = patternPart.lastIndex) {
    patternPart.lastIndex = at;
    const [part] = patternPart.exec(text) ?? [];
    if (part === undefined) return false;
    if (part === '*' || part === '+') repeats += 1;
  }
  return repeats <= repeatsMax;
}

function readPattern(text: string): { readonly pattern: RegExp } | null {
  try {
    return { pattern: new RegExp(`^(?:${text})$`, 'u') };
  } catch {
    return null;
  }
}
