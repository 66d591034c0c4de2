import { z } from 'zod';
import { fitting } from '../reading/load-specification.js';
import { callNameSchema, stepSchema } from '../reading/specification.js';
import { specificationPath } from '../reading/specification-file.js';

const text = z.string().min(1);

const controlSchema = z.strictObject({
  call: callNameSchema,
  query: z.record(text, z.unknown()).default({}),
  body: z.unknown().optional(),
});

/** What a refusal must be like, beside being one. Exactly one of them. */
const refusalSchema = z.strictObject({
  statusIn: text.optional(),
  says: text.optional(),
  mentionsOneOf: text.optional(),
  or: z.array(text).default([]),
});

const assumptionSchema = z.strictObject({
  entry: text,
  what: text,
  assumed: z.unknown(),
  after: z.array(text).default([]),
  steps: z.array(stepSchema).default([]),
  control: text.optional(),
  concerns: z.array(text).default([]),
  refused: z.literal('wrong').optional(),
  refusal: refusalSchema.optional(),
  recognised: z.strictObject({ by: text, value: z.unknown().default('x') }).optional(),
  /** Why there is no probe. */
  unprobed: text.optional(),
});

const assumptionsSchema = z
  .strictObject({ controls: z.record(text, controlSchema), assumptions: z.array(assumptionSchema).min(1) })
  .check(({ value, issues }) => {
    value.assumptions.forEach((assumption, index) => {
      const problem = problemOf(assumption, Object.keys(value.controls));
      if (problem !== null) {
        issues.push({ code: 'custom', input: value, path: ['assumptions', index], message: problem });
      }
    });
  });

/** A name that no partner knows. */
export const nobodysName = 'zzContract';

export type Assumption = z.output<typeof assumptionSchema>;
export type Control = z.output<typeof controlSchema>;
export type Assumptions = z.output<typeof assumptionsSchema>;

/** Every entry of the dialect: what we assume and how it is probed. @throws DataError */
export function loadAssumptions(): Assumptions {
  return fitting(specificationPath('assumptions.yaml'), assumptionsSchema);
}

/** Entry -> assumed value. */
export function assumedValues({ assumptions }: Assumptions): ReadonlyMap<string, unknown> {
  return new Map(assumptions.map(({ entry, assumed }) => [entry, assumed]));
}

function problemOf({ entry, steps, recognised, unprobed, control }: Assumption, controls: string[]): string | null {
  const ways = [steps.length > 0, recognised !== undefined, unprobed !== undefined].filter(Boolean);
  if (ways.length !== 1) return `${entry} needs steps, or recognised, or unprobed`;
  const needed = recognised?.by ?? control;
  return needed === undefined || controls.includes(needed) ? null : `${entry}: there is no control ${needed}`;
}
