import type { DeclaredSource, ProgramsFile } from '#contracts';
import { topicPattern } from '#contracts';

import type { Authority } from '../core/authority.js';
import type { Subject } from '../core/event-type.js';
import type { SourceFormat } from '../formats/source-format.js';
import { compileMap } from '../mapping/compile-map.js';
import type { CompiledMap } from '../mapping/compiled-map.js';
import { nativeAuthority } from '../source-events.js';

/** How the records of a source become events. */
export interface SourceMapping {
  readonly format: SourceFormat;
  readonly map: CompiledMap;
}

/** What comes by a topic. */
export interface TopicSource {
  readonly authority: Authority;
  /** Null: its records are events of ours. */
  readonly mapping: SourceMapping | null;
}

/** Opens the format that a source names. */
export type OpenFormat = (source: DeclaredSource) => SourceFormat;

interface Pattern {
  readonly source: TopicSource;
  readonly pattern: RegExp;
}

/** The sources of one programs file, opened once. */
export class SourceTable {
  private readonly byName = new Map<string, TopicSource>();
  private readonly patterns: Pattern[] = [];
  private readonly found = new Map<string, TopicSource | null>();

  constructor(
    { sources = {} }: ProgramsFile,
    native: ReadonlyMap<string, TopicSource>,
    /** Topics that are ours to write: no pattern means one of them. */
    private readonly written: ReadonlySet<string>,
    openFormat: OpenFormat,
  ) {
    for (const [topic, source] of native) this.byName.set(topic, source);
    for (const [name, declared] of Object.entries(sources)) this.declare(name, declared, openFormat);
  }

  /** Topics that are named. */
  get names(): readonly string[] {
    return [...this.byName.keys()];
  }

  /** Whether topics are meant that have no name here: all that there are must be looked at. */
  get hasPatterns(): boolean {
    return this.patterns.length > 0;
  }

  /** Null: it is no source's, or the patterns of two match it, so that nobody can say whose it is. */
  sourceOf(topic: string): TopicSource | null {
    const known = this.byName.get(topic) ?? this.found.get(topic);
    if (known !== undefined) return known;
    const matching = [...this.matching(topic)];
    const source = matching.length === 1 ? (matching[0] ?? null) : null;
    this.found.set(topic, source);
    return source;
  }

  /** Patterns of two sources match it, and no source names it: it is read by neither until one does. */
  isContested(topic: string): boolean {
    return !this.byName.has(topic) && this.matching(topic).size > 1;
  }

  private matching(topic: string): ReadonlySet<TopicSource> {
    // Kafka's own begin so.
    if (topic.startsWith('__') || this.written.has(topic)) return new Set();
    return new Set(this.patterns.filter(({ pattern }) => pattern.test(topic)).map(({ source }) => source));
  }

  private declare(name: string, declared: DeclaredSource, openFormat: OpenFormat): void {
    const source = openSource(name, declared, openFormat);
    for (const topic of declared.topics) {
      const meant = topicPattern(topic);
      if (meant === null) continue;
      if ('name' in meant) this.byName.set(meant.name, source);
      else this.patterns.push({ source, pattern: meant.pattern });
    }
  }
}

/** A source by itself. @throws {MapError} where its map cannot be compiled */
export function openSource(name: string, declared: DeclaredSource, openFormat: OpenFormat): TopicSource {
  const { types, programs, may, map } = declared;
  const authority = { name: `source ${name}`, types: new Set(types), programs: new Set(programs), may: new Set(may) };
  return { authority, mapping: map === null ? null : { format: openFormat(declared), map: compileMap(map) } };
}

interface TableParts {
  /** By which each subject's events come, unless a source names the topic. */
  readonly topics: Readonly<Partial<Record<Subject, string | undefined>>>;
  /** Topics that are ours to write. */
  readonly written: readonly string[];
  readonly openFormat: OpenFormat;
}

/** The sources of whichever programs file is in force. */
export class SourceTables {
  private readonly tables = new WeakMap<ProgramsFile, SourceTable>();
  private readonly native: ReadonlyMap<string, TopicSource>;
  private readonly written: ReadonlySet<string>;

  constructor(private readonly parts: TableParts) {
    const { topics, written } = parts;
    this.native = new Map(
      Object.entries(topics).flatMap(([subject, topic]) =>
        topic === undefined ? [] : [[topic, { authority: nativeAuthority(subject as Subject), mapping: null }]],
      ),
    );
    this.written = new Set(written);
  }

  /** @throws {MapError} where a map of it cannot be compiled: such a file is refused before it comes into force */
  of(file: ProgramsFile): SourceTable {
    const known = this.tables.get(file);
    if (known !== undefined) return known;
    const table = new SourceTable(file, this.native, this.written, this.parts.openFormat);
    this.tables.set(file, table);
    return table;
  }
}
