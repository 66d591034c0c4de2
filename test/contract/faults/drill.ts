import { z } from 'zod';
import { fitting } from '../reading/load-specification.js';
import { type CallName, callNames, callNameSchema, stepSchema } from '../reading/specification.js';
import { specificationPath } from '../reading/specification-file.js';

const text = z.string().min(1);

/** A step whose answer is judged by the drill. */
const sampleSchema = z
  .strictObject({
    call: callNameSchema,
    path: z.record(text, z.unknown()).default({}),
    query: z.record(text, z.unknown()).default({}),
    body: z.unknown().optional(),
  })
  .transform((sample) => stepSchema.parse({ ...sample, expect: { status: '2xx' } }));

const refusalSchema = z
  .strictObject({
    call: callNameSchema,
    query: z.record(text, z.unknown()).default({}),
    body: z.unknown().optional(),
    verdict: text,
  })
  .transform(({ verdict, ...sample }) => ({ verdict, step: sampleSchema.parse(sample) }));

const outcomes = z.enum(['applied', 'rejected', 'not-applied', 'unknown', 'answered', 'absent', 'failed']);

const drillSchema = z.strictObject({
  kind: text,
  /** Settings of the fault's rule. */
  rule: z.record(text, z.unknown()).default({}),
  note: text.optional(),
  /** What a call that changes something must come out as. */
  outcome: outcomes.optional(),
  read: outcomes.optional(),
  token: outcomes.optional(),
  /** These calls alone, and what each must come out as. */
  only: z.partialRecord(callNameSchema, outcomes).optional(),
  /** The calls of `refusals`: `as said` there, or as `only` says. */
  refused: z.enum(['as said', 'applied']).optional(),
  timeoutMs: z.int().positive().default(10_000),
  effects: z.union([z.int(), z.record(text, z.int())]).optional(),
});

const faultsSchema = z.strictObject({
  samples: z.record(callNameSchema, sampleSchema),
  refusals: z.partialRecord(callNameSchema, refusalSchema),
  drills: z.array(drillSchema).min(1),
});

export type Drill = z.output<typeof drillSchema>;
export type Faults = z.output<typeof faultsSchema>;

/** One call under one fault, and what it must come out as. */
export interface DrilledCall {
  readonly call: CallName;
  readonly expected: string;
  readonly isRefusal: boolean;
}

/** @throws DataError */
export function loadFaults(): Faults {
  return fitting(specificationPath('faults.yaml'), faultsSchema);
}

const readingCalls: readonly CallName[] = ['lookup', 'list'];

/** Which calls a drill is for. */
export function drilledCalls(drill: Drill, { refusals }: Pick<Faults, 'refusals'>): DrilledCall[] {
  return callNames.flatMap((call) => {
    const expected = expectedOf(drill, call, refusals);
    return expected === undefined ? [] : [{ call, expected, isRefusal: drill.refused !== undefined }];
  });
}

function expectedOf(drill: Drill, call: CallName, refusals: Faults['refusals']): string | undefined {
  if (drill.only !== undefined) return drill.only[call];
  if (drill.refused !== undefined) return refusals[call]?.verdict;
  if (call === 'token') return drill.token;
  return readingCalls.includes(call) ? drill.read : drill.outcome;
}

/** How many ledger entries one call leaves; undefined where the drill does not say. */
export function effectsOf({ effects }: Drill, call: CallName): number | undefined {
  if (call === 'token' || readingCalls.includes(call)) return undefined;
  return typeof effects === 'object' ? (effects[call] ?? effects['others']) : effects;
}
