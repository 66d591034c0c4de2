import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { parse } from 'yaml';
import { prettifyError, z } from 'zod';

/** A file of the suite, or one that the user gave, cannot be used; the message names it. */
export class DataError extends Error {
  override readonly name = 'DataError';
}

/** Compiled or not, the suite runs from a checkout: its data is not copied beside the compiled program. */
export function checkoutFolder(from: string): string {
  if (existsSync(join(from, 'package.json'))) return from;
  const above = dirname(from);
  if (above === from) throw new DataError('the contract suite runs from a checkout only');
  return checkoutFolder(above);
}

/** Where the suite's own data lies. */
export function specificationPath(name: string): string {
  return join(checkoutFolder(import.meta.dirname), 'test', 'contract', 'specification', name);
}

/** The YAML of a file; merge keys (`<<`) are understood. @throws DataError */
export function readYaml(path: string): unknown {
  try {
    return parse(readFileSync(path, 'utf8'), { merge: true }) as unknown;
  } catch (error) {
    throw new DataError(`${path}: cannot be read: ${(error as Error).message}`);
  }
}

const tableFiles = [
  '2-resources.yaml',
  '4-passes.yaml',
  '4-listing.yaml',
  '4-rewards-and-transactions.yaml',
  '4-administration.yaml',
  '5-authentication.yaml',
  '7-errors-and-8-limits.yaml',
];

/** Data that fits its schema. @throws DataError */
export function fitting<Schema extends z.ZodType>(path: string, schema: Schema): z.output<Schema> {
  const parsed = schema.safeParse(readYaml(path));
  if (!parsed.success) throw new DataError(`${path}: ${prettifyError(parsed.error)}`);
  return parsed.data;
}

/** The specification as transcribed. @throws DataError */
export function loadSpecification(): Specification {
  return {
    calls: fitting(specificationPath('calls.yaml'), callsSchema),
    scenes: fitting(specificationPath('scenes.yaml'), scenesSchema),
    rows: tableFiles.flatMap(rowsOf),
  };
}

function rowsOf(file: string): Row[] {
  const { section, tables } = fitting(specificationPath(file), tablesSchema);
  return tables.flatMap((table) => table.rows.map((row) => joined(table.section ?? section, table, row)));
}

function joined(section: string, table: Table, row: TableRow): Row {
  return {
    id: `${section} / ${table.table} / ${row.key}`,
    section,
    table: table.table,
    key: row.key,
    words: row.words,
    after: [...new Set([...table.after, ...row.after])],
    steps: row.steps ?? withBody(table.steps, row.body ?? {}),
    gateway: row.gateway,
  };
}

/** What a row expects of the body belongs to the last step of its table. */
function withBody(steps: readonly Step[], body: Step['expect']['body']): Step[] {
  return steps.map((step, index) =>
    index === steps.length - 1 ? { ...step, expect: { ...step.expect, body: { ...step.expect.body, ...body } } } : step,
  );
}

/** The calls of the specification, by the names that the sandbox's ledger and fault rules use too. */
export const callNames = [
  'token',
  'lookup',
  'issue',
  'issue-via-workflow',
  'update-via-workflow',
  'schedule-update',
  'list',
  'reward',
  'transaction',
  'update-transaction-type',
  'create-transaction-attribute',
  'create-brand-attribute',
  'update-brand-attribute',
  'create-template',
  'update-brand',
] as const;

export type CallName = (typeof callNames)[number];

export const callNameSchema = z.enum(callNames);
const text = z.string().min(1);
const values = z.record(text, z.unknown());

/** How one call goes over the wire. */
const callSchema = z.strictObject({
  section: text,
  method: z.enum(['GET', 'POST', 'PATCH']),
  url: text,
  path: z.record(text, text).default({}),
  /** What one call leaves behind; null for nothing. */
  writes: text.nullable(),
});

const callsSchema = z.record(callNameSchema, callSchema);

const valueTypes = ['string', 'number', 'boolean', 'object', 'array', 'url'] as const;

/** What a value must be; several conditions must all hold. `absent`: there must be no such value. */
const matcherSchema = z.union([
  z.enum([...valueTypes, 'absent']),
  z.strictObject({
    type: z.enum(valueTypes).optional(),
    is: z.unknown().optional(),
    /** Equal when both are written as text: ids are numbers in answers and text in paths. */
    sameText: z.unknown().optional(),
    /** The same moment, however it is written. */
    instant: z.unknown().optional(),
    matches: text.optional(),
    atLeast: z.number().optional(),
    length: z.int().optional(),
    /** An object that holds at least these. */
    has: values.optional(),
  }),
]);

export type Matcher = z.output<typeof matcherSchema>;

/**
 * A status, or a group of them: `success` is what the dialect takes for the success of a call, `issued` for that of an
 * issue (4.2), `refused` one that speaks about this very request.
 */
const statusSchema = z.union([z.int().min(100).max(599), z.enum(['success', 'issued', '2xx', '4xx', 'refused'])]);
export type ExpectedStatus = z.output<typeof statusSchema>;

const expectationSchema = z.strictObject({
  status: statusSchema,
  body: z.record(z.string(), matcherSchema).default({}),
});
export type Expectation = z.output<typeof expectationSchema>;

/**
 * What is special about a step through the gateway. `unsent`: it must refuse to send it, and there the row ends for it.
 * `member`: whose pass is looked up, which the port wants to know beside the parameter.
 */
const stepGatewaySchema = z.union([z.literal('unsent'), z.strictObject({ member: text })]);

export const stepSchema = z.strictObject({
  call: callNameSchema,
  path: z.record(text, z.unknown()).default({}),
  query: values.default({}),
  body: z.unknown().optional(),
  /** Fields of the token request that differ from the right ones; null leaves one out. */
  form: z.record(text, text.nullable()).optional(),
  /** Which token goes with the call; a good one unless told. */
  token: z.enum(['none', 'wrong', 'expired']).optional(),
  /** The call is repeated until the answer is as expected, for so long. */
  withinMs: z.unknown().optional(),
  gateway: stepGatewaySchema.optional(),
  /** Left out where the dialect does not say which change is made (4.4): nothing can be seen of it then. */
  needs: z.literal('schedule.change').optional(),
  expect: expectationSchema,
  /** What the document does not show here: another answer than the expected one is told, and is no failure. */
  assumed: text.optional(),
  /** Name -> path in the body; an empty path is the whole body. */
  save: z.record(text, z.string()).default({}),
});

export type Step = z.output<typeof stepSchema>;

const observationNames = ['token', 'refused-token', 'twice-refused-token'] as const;
export type ObservationName = (typeof observationNames)[number];

const rowSchema = z.strictObject({
  key: text,
  /** What the row of the document says. */
  words: text,
  note: text.optional(),
  after: z.array(text).default([]),
  /** Instead of the table's. */
  steps: z.array(stepSchema).optional(),
  /** Added to what the table's last step expects. */
  body: z.record(z.string(), matcherSchema).optional(),
  /** The gateway shows this row on the wire only: what a recording proxy before the partner sees of it. */
  gateway: z.strictObject({ observes: z.enum(observationNames), expect: z.record(text, matcherSchema) }).optional(),
});

const tableSchema = z.strictObject({
  table: text,
  /** Another section than the file's. */
  section: text.optional(),
  note: text.optional(),
  after: z.array(text).default([]),
  steps: z.array(stepSchema).default([]),
  rows: z.array(rowSchema).min(1),
});

const tablesSchema = z.strictObject({ section: text, tables: z.array(tableSchema).min(1) });
type Table = z.output<typeof tableSchema>;
type TableRow = z.output<typeof rowSchema>;

const sceneSchema = z.strictObject({
  after: z.array(text).default([]),
  vars: z.record(text, z.unknown()).default({}),
  steps: z.array(stepSchema).min(1),
  /** Instead, where nothing may be written. */
  known: z.strictObject({ vars: z.record(text, z.unknown()), steps: z.array(stepSchema).min(1) }).optional(),
});

const scenesSchema = z.record(text, sceneSchema);
type Scene = z.output<typeof sceneSchema>;

/** The same rows for a partner of whom it is not known where the change of 4.4 goes: the documented body alone. */
export function withoutChanges(specification: Specification): Specification {
  const rows = specification.rows.map((row) => ({
    ...row,
    steps: row.steps
      .filter(({ needs }) => needs === undefined)
      .map((step) => ({ ...step, body: unchanged(step.body) })),
  }));
  return { ...specification, rows };
}

function unchanged(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, changeKey)) return body;
  return Object.fromEntries(Object.entries(body).filter(([key]) => key !== changeKey));
}

/** Stands in a body for wherever the dialect puts the change of 4.4. */
export const changeKey = '<schedule.change?>';

/** One row of the document and how it is checked. */
export interface Row {
  /** `2 / WalletPass / passId` */
  readonly id: string;
  readonly section: string;
  readonly table: string;
  readonly key: string;
  readonly words: string;
  readonly after: readonly string[];
  readonly steps: readonly Step[];
  readonly gateway: TableRow['gateway'];
}

export interface Specification {
  readonly calls: Readonly<Record<CallName, z.output<typeof callSchema>>>;
  readonly scenes: Readonly<Record<string, Scene>>;
  readonly rows: readonly Row[];
}

export type Selection = 'read' | 'write' | null;

type Work = { readonly after: readonly string[]; readonly steps: readonly Step[] };

/** The calls that leave something behind when this is run; a scene counts each time it is named. */
export function writesOf(work: Work, specification: Pick<Specification, 'calls' | 'scenes'>): CallName[] {
  const { calls, scenes } = specification;
  const inScenes = work.after.flatMap((name) => writesOf(scenes[name] ?? { after: [], steps: [] }, specification));
  const own = work.steps.flatMap(({ call }) => (calls[call].writes === null ? [] : [call]));
  return [...inScenes, ...own];
}

/**
 * The rows that only read, or that write, or all. Where only reading is allowed, a scene that can be had of a known
 * member looks instead of writing.
 */
export function selected(specification: Specification, selection: Selection): Specification {
  if (selection === null) return specification;
  const isReading = selection === 'read';
  const scenes = isReading ? mapScenes(specification.scenes) : specification.scenes;
  const looking = { ...specification, scenes };
  const rows = specification.rows.filter((row: Row) => (writesOf(row, looking).length === 0) === isReading);
  return { ...looking, rows };
}

function mapScenes(scenes: Specification['scenes']): Record<string, Scene> {
  const entries = Object.entries(scenes).map(([name, scene]) => [
    name,
    scene.known === undefined ? scene : { ...scene, ...scene.known },
  ]);
  return Object.fromEntries(entries) as Record<string, Scene>;
}

const id = z.union([text, z.int()]).transform(String);

/** The setup file; every value may be null where there is no such thing. See specification/setup.yaml. */
const setupSchema = z.strictObject({
  brand: id,
  program: id,
  memberKey: text,
  template: z.int().nullable(),
  tier: z.int().nullable(),
  status: z.strictObject({ name: text, number: z.int() }).nullable(),
  workflows: z.strictObject({
    issue: z.strictObject({ program: id, id }).nullable(),
    update: z.strictObject({ program: id, id }).nullable(),
  }),
  rewards: z.strictObject({ first: z.strictObject({ id, pointsDelta: z.number().nullable() }).nullable() }),
  transactionTypes: z.strictObject({
    main: z.strictObject({ id, name: text.nullable() }).nullable(),
    unique: z.array(z.strictObject({ id, attribute: text.nullable() })),
    spare: z.strictObject({ brand: id, program: id, id }).nullable(),
  }),
  email: z.strictObject({ brand: id, program: id, memberKey: text }).nullable(),
  brandName: text.nullable(),
  knownMember: text.nullable(),
  scheduleWithinMs: z.int().positive(),
  tokenExpiryWaitMs: z.int().nonnegative(),
  mayNot: z.array(callNameSchema),
});

export type Setup = z.output<typeof setupSchema>;

/** The setup of a file, or that of the sandbox's default seed. @throws DataError */
export function loadSetup(path: string | null): Setup {
  return fitting(path ?? specificationPath('setup.yaml'), setupSchema);
}
