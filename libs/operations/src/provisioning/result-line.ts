import type { StepOutcome } from './carry-out-step.js';
import type { StepLine } from './step-line.js';
import { keyOf } from './step-line.js';

type Result = Extract<StepOutcome, { readonly kind: 'result' }>;

/** The line that a step leaves when it is done with: what the partner said, where it said something. */
export function toResultLine(step: StepLine, ordinal: number, { result, row }: Result): Record<string, unknown> {
  const { request: _request, ...said } = row?.evidence ?? {};
  const isSaid = result !== 'in-place' && result !== 'left-alone' && result !== 'skipped';
  return {
    ...{ line: 'result', step: ordinal, result, ...keyOf(step) },
    ...(row === null ? {} : { partnerId: row.partnerId, stepId: row.stepId }),
    ...(isSaid ? said : {}),
    ...hintOf(result, step, said['code']),
  };
}

function hintOf(result: Result['result'], { kind, transactionTypeId, name }: StepLine, code: unknown): object {
  if (result === 'skipped') {
    return { hint: `What it rests on could not be settled: transaction type ${transactionTypeId ?? name}.` };
  }
  if (result === 'unknown') {
    return { hint: 'Look at the partner, then resolve the step. Until then it is not made again.' };
  }
  if (result !== 'refused' || code !== 'duplicate') return {};
  const how = kind === 'brand-attribute' ? 'give its `id`' : 'declare `exists: true`';
  return { hint: `There seems to be one of that name already, not made by us: ${how}.` };
}
