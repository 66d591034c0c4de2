import { z } from 'zod';
import { callOperations } from '../http/operation.js';
import { isRetryAfter } from './before-effect.js';
import { faultKinds } from './fault-kinds.js';

const delayMsMax = 600_000;
/** Longer than anybody waits for it to end. */
const oversizedBytesMax = 16 * 1024 ** 3;
const locationCharsMax = 2_000;

/** What a header may hold: anything else would fail where it is written. */
const headerTextSchema = z.string().regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'must be printable ASCII');

const retryAfterSchema = z.union([
  z.number().nonnegative(),
  headerTextSchema.refine(isRetryAfter, 'must be date+SECONDS or date-SECONDS to be an HTTP date from now'),
]);

const faultRuleSchema = z
  .strictObject({
    /** `*`: every operation the kind makes sense for. */
    operation: z.enum([...callOperations, '*']),
    kind: z.string().refine((kind) => faultKinds.has(kind), {
      error: (issue) => `unknown kind ${String(issue.input)}; known are ${[...faultKinds.keys()].join(', ')}`,
      abort: true,
    }),
    /** Chance of each matching call, drawn from the plan's seed. */
    probability: z.number().min(0).max(1).optional(),
    /** Which matching calls, counted from 1 since the plan was put. */
    sequence: z.array(z.int().positive()).optional(),
    /** Strikes at most so often. */
    count: z.int().positive().optional(),
    ms: z.int().nonnegative().max(delayMsMax).optional(),
    status: z.int().min(200).max(599).optional(),
    retryAfter: retryAfterSchema.optional(),
    location: headerTextSchema.max(locationCharsMax).optional(),
    bytes: z.int().positive().max(oversizedBytesMax).optional(),
    wording: z.int().nonnegative().optional(),
    /** With or without an effect; absent: drawn from the plan's seed at each strike. */
    applies: z.boolean().optional(),
  })
  .check(({ value: rule, issues }) => {
    for (const message of problemsOf(rule)) issues.push({ code: 'custom', input: rule, message });
  });

/** Body of `PUT /__faults` (contracts.md section 9). */
export const faultPlanSchema = z.strictObject({
  seed: z.int().nonnegative().default(0),
  rules: z.array(faultRuleSchema).default([]),
});

export type FaultPlan = z.output<typeof faultPlanSchema>;
export type FaultRule = FaultPlan['rules'][number];

function problemsOf(rule: FaultRule): string[] {
  return [
    ...choiceProblems(rule),
    ...operationProblems(rule),
    ...missingSettings(rule),
    ...statusProblems(rule),
    ...effectProblems(rule),
  ];
}

function choiceProblems({ probability, sequence }: FaultRule): string[] {
  return probability === undefined || sequence === undefined ? [] : ['probability and sequence exclude each other'];
}

function operationProblems({ operation, kind }: FaultRule): string[] {
  const isSenseless = operation !== '*' && faultKinds.get(kind)?.operations?.includes(operation) === false;
  return isSenseless ? [`${kind} makes no sense for ${operation}`] : [];
}

function missingSettings(rule: FaultRule): string[] {
  const missing = faultKinds.get(rule.kind)?.requires?.filter((name) => rule[name] === undefined) ?? [];
  return missing.map((name) => `${rule.kind} needs ${name}`);
}

function statusProblems({ kind, status }: FaultRule): string[] {
  const [min, max] = faultKinds.get(kind)?.statuses ?? [0, Infinity];
  return status !== undefined && (status < min || status > max) ? [`${kind} needs a status from ${min} to ${max}`] : [];
}

function effectProblems({ kind, applies }: FaultRule): string[] {
  const isChosen = applies !== undefined && faultKinds.get(kind)?.choosesEffect !== true;
  return isChosen ? [`${kind} cannot choose whether the call applies`] : [];
}
