import { dirname, sep } from 'node:path';

import type { DeclaredSource, ProgramsFile } from '#contracts';
import { topicPattern } from '#contracts';

/** A source that a sample is a record of. */
export interface NamedSource {
  readonly name: string;
  readonly declared: DeclaredSource;
}

interface SampleFacts {
  readonly file: string;
  /** Where the record says by which topic it came. */
  readonly topic: string | null;
}

/** Which source a sample is of; null: none of them, its records are events of ours. */
export class SampleSources {
  private readonly sources: ReadonlyMap<string, DeclaredSource>;

  /** @param named by `--source`: all samples are of it; null: each is judged by itself */
  constructor(
    file: ProgramsFile | null,
    private readonly named: string | null = null,
  ) {
    this.sources = new Map(Object.entries(file?.sources ?? {}));
  }

  has(name: string): boolean {
    return this.sources.has(name);
  }

  /** By `--source`, else by the topic of the record, else by the folder that it lies in: the nearest that is called like one. */
  of({ file, topic }: SampleFacts): NamedSource | null {
    if (this.named !== null) return this.byName(this.named);
    if (topic !== null) return this.ofTopic(topic);
    const folder = dirname(file)
      .split(sep)
      .findLast((part) => this.sources.has(part));
    return folder === undefined ? null : this.byName(folder);
  }

  /** A name goes before a pattern. */
  ofTopic(topic: string): NamedSource | null {
    const all = [...this.sources].map(([name, declared]) => ({ name, declared }));
    const byName = all.find(({ declared }) => declared.topics.includes(topic));
    return byName ?? all.find(({ declared }) => declared.topics.some((pattern) => isMatch(pattern, topic))) ?? null;
  }

  private byName(name: string): NamedSource | null {
    const declared = this.sources.get(name);
    return declared === undefined ? null : { name, declared };
  }
}

function isMatch(pattern: string, topic: string): boolean {
  const meant = topicPattern(pattern);
  return meant !== null && 'pattern' in meant && meant.pattern.test(topic);
}

/** The first topic that a source names, so that a sample can stand in one; null: it has patterns alone. */
export function topicOf({ declared }: NamedSource): string | null {
  return declared.topics.find((topic) => 'name' in (topicPattern(topic) ?? {})) ?? null;
}
