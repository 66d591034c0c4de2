import { z } from 'zod';
import { callOperations } from '../http/operation.js';
import { faultKinds } from './kinds/index.js';

const delayMsMax = 600_000;

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
    retryAfter: z.union([z.number().nonnegative(), z.string().min(1)]).optional(),
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
  return [...choiceProblems(rule), ...operationProblems(rule), ...missingSettings(rule)];
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
