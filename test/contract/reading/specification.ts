import { z } from 'zod';

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

export const callsSchema = z.record(callNameSchema, callSchema);

export const valueTypes = ['string', 'number', 'boolean', 'object', 'array', 'url'] as const;

/** What a value must be; several conditions must all hold. `absent`: there must be no such value. */
export const matcherSchema = z.union([
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
  expect: expectationSchema,
  /** Name -> path in the body; an empty path is the whole body. */
  save: z.record(text, z.string()).default({}),
});

export type Step = z.output<typeof stepSchema>;

export const observationNames = ['token', 'refused-token', 'twice-refused-token'] as const;
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

export const tablesSchema = z.strictObject({ section: text, tables: z.array(tableSchema).min(1) });
export type Table = z.output<typeof tableSchema>;
export type TableRow = z.output<typeof rowSchema>;

const sceneSchema = z.strictObject({
  after: z.array(text).default([]),
  vars: z.record(text, z.unknown()).default({}),
  steps: z.array(stepSchema).min(1),
  /** Instead, where nothing may be written. */
  known: z.strictObject({ vars: z.record(text, z.unknown()), steps: z.array(stepSchema).min(1) }).optional(),
});

export const scenesSchema = z.record(text, sceneSchema);
export type Scene = z.output<typeof sceneSchema>;

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
