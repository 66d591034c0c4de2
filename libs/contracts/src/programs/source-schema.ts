import { z } from 'zod';

import { hookSchema } from './hook-schema.js';
import type { ProgramsFile } from './program.js';
import { type DeclaredSource, doorTopic, topicPattern } from './source.js';

/** `path` begins at the file. */
interface SourceProblem {
  readonly path: string;
  readonly rule: string;
}

/** A map is copied into the database with each programs file. */
const mapLengthMax = 64 * 1024;
/** Of the file of one: no character that counts as one is longer in UTF-8. */
export const mapFileBytesMax = 3 * mapLengthMax;
const sourcesMax = 100;
const topicsMax = 100;
const pathLengthMax = 1_000;

/** It is part of an address, and of what metrics and records say. */
const sourceNameSchema = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,99}$/, {
  error: 'must be a name of small letters, digits, "-" and "_"',
});

const eventTypeSchema = z.string().regex(/^loyalty\.(?:member|purchase|reward)\.[a-z-]+\.v\d+$/, {
  error: 'must be an event type, such as loyalty.purchase.completed.v1',
});

const topicSchema = z.string().refine((topic) => topicPattern(topic) !== null, {
  error:
    'must be the name of a topic, or a pattern between slashes of which no group is repeated and at most three characters are',
});

/** A list without repetitions, in an order of its own: the same rights are the same text. */
const setOf = <Item extends string>(item: z.ZodType<Item>) =>
  z
    .array(item)
    .refine((items) => new Set(items).size === items.length, { error: 'names one twice' })
    .transform((items) => items.toSorted());

const someOf = <Item extends string>(item: z.ZodType<Item>) =>
  setOf(item).refine((items) => items.length > 0, { error: 'names none' });

const mapSchema = z.string().min(1).max(mapLengthMax);

/** One source. A `mapFile` is still a path: see `readMaps`. */
const sourceSchema = z
  .strictObject({
    topics: someOf(topicSchema).refine((topics) => topics.length <= topicsMax, {
      error: `names more than ${topicsMax}`,
    }),
    format: z.string().regex(/^[a-z][a-z0-9-]{0,49}$/, { error: 'must be the name of a format' }),
    map: mapSchema.nullable().default(null),
    mapFile: z.string().min(1).max(pathLengthMax).exactOptional(),
    types: someOf(eventTypeSchema),
    programs: someOf(z.string()),
    may: setOf(z.enum(['erase', 'merge'])).default([]),
    updates: z.boolean().exactOptional(),
    key: mapSchema.exactOptional(),
    hook: hookSchema.exactOptional(),
  })
  .superRefine((source, context) => {
    const problem = mapProblem(source);
    if (problem !== null) context.addIssue({ code: 'custom', path: [problem.path], message: problem.rule });
  });

type ReadSource = z.infer<typeof sourceSchema>;

function mapProblem({ format, map, mapFile }: Pick<ReadSource, 'format' | 'map' | 'mapFile'>) {
  const given = mapFile === undefined ? 'map' : 'mapFile';
  const hasMap = map !== null || mapFile !== undefined;
  if (map !== null && mapFile !== undefined) return { path: given, rule: 'not beside map' };
  if (format !== 'cloudevents') return hasMap ? null : { path: given, rule: 'required, or a mapFile' };
  return hasMap ? { path: given, rule: 'not of cloudevents: they are events' } : null;
}

/** The `sources` section. */
export const sourcesSchema = z
  .record(sourceNameSchema, sourceSchema)
  .refine((sources) => Object.keys(sources).length <= sourcesMax, { error: `declares more than ${sourcesMax}` });

/** Reads what a `mapFile` names. May throw. */
export type ReadMapFile = (path: string) => string;

interface ReadMaps {
  readonly sources: Record<string, DeclaredSource>;
  readonly problems: readonly SourceProblem[];
}

/** Each with the text that its `mapFile` holds. @param readMapFile absent: none is read */
export function readMaps(sources: Readonly<Record<string, ReadSource>>, readMapFile?: ReadMapFile): ReadMaps {
  const problems: SourceProblem[] = [];
  const read = Object.entries(sources).map(([name, { mapFile, ...source }]): [string, DeclaredSource] => {
    if (mapFile === undefined) return [name, source];
    const file = mapFileText(mapFile, readMapFile);
    if (!file.ok) problems.push({ path: `sources.${name}.mapFile`, rule: file.rule });
    return [name, { ...source, map: file.ok ? file.text : null }];
  });
  return { sources: Object.fromEntries(read), problems };
}

type MapFileText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly rule: string };

/** Says nothing of what a file holds: somebody may name a file of secrets. */
function mapFileText(path: string, readMapFile: ReadMapFile | undefined): MapFileText {
  if (readMapFile === undefined) return { ok: false, rule: 'no files are read here: use map' };
  try {
    const text = readMapFile(path);
    const isMap = mapSchema.safeParse(text).success;
    return isMap ? { ok: true, text } : { ok: false, rule: `must hold 1 to ${mapLengthMax} characters` };
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    return { ok: false, rule: `cannot be read (${typeof code === 'string' ? code : 'unknown'})` };
  }
}

/** What a webhook needs to become a record. */
function hookProblems(source: DeclaredSource): string[] {
  if (source.hook === undefined) return [];
  return [
    ...(source.format === 'json' ? [] : ['needs the format json: the body is the record']),
    ...(source.key === undefined ? ['needs a key: in whose order it belongs'] : []),
    ...(doorTopic(source) === null ? ['needs one topic by its name: there it is written'] : []),
  ];
}

/** Rules between the sources, and between them and the programs. */
export function checkSources({ sources = {}, programs }: ProgramsFile): SourceProblem[] {
  const takenBy = new Map<string, string>();
  return Object.entries(sources).flatMap(([name, source]) => {
    const path = `sources.${name}`;
    const strangers = source.programs.filter((program) => !Object.hasOwn(programs, program));
    const problems = [
      ...strangers.map((program) => ({ path: `${path}.programs`, rule: `${program}: not one of programs` })),
      ...hookProblems(source).map((rule) => ({ path: `${path}.hook`, rule })),
    ];
    for (const topic of source.topics) {
      const other = takenBy.get(topic);
      if (other !== undefined) problems.push({ path: `${path}.topics`, rule: `${topic}: is of sources.${other}` });
      takenBy.set(topic, name);
    }
    return problems;
  });
}
