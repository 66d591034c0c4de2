import { z } from 'zod';

import type { ProvisionStep, ThingKey } from '#domain';
import type { DialectRegistry } from '#gateway';
import { previewAdministration } from '#gateway';

import { administrationCall } from './administration-call.js';
import { whyTexts } from './why-texts.js';

const text = z.string();

/** A step of a plan, as it is read back from the line that it left. What stands there for people alone is left out. */
export const stepLineSchema = z.object({
  line: z.literal('step'),
  action: text,
  kind: z.enum(['brand-attribute', 'transaction-type', 'transaction-attribute', 'template']),
  brandId: text,
  programId: text.nullable(),
  transactionTypeId: text.nullable(),
  name: text,
  program: text.nullable(),
  path: text.nullable(),
  content: z.record(text, z.union([text, z.boolean()])).nullable(),
  partnerId: text.nullable(),
  exists: z.boolean(),
});

export type StepLine = z.output<typeof stepLineSchema>;

/** What is known of the request that a step would make. */
function requestOf(step: ProvisionStep, dialects: DialectRegistry): object {
  const { action, content, partnerId } = step;
  if (content === null || (action !== 'create' && action !== 'update')) return { request: null };
  const preview = previewAdministration(administrationCall({ ...step, content, partnerId, action }), dialects);
  return preview.kind === 'request' ? { request: preview.request } : { request: null, problems: preview.problems };
}

/** The line that a step leaves, with the very request that it would make. */
export function toStepLine(step: ProvisionStep, ordinal: number, dialects: DialectRegistry): Record<string, unknown> {
  const { action, why, program, path, content, partnerId, exists, stepId } = step;
  return {
    ...{ line: 'step', step: ordinal, action, ...keyOf(step), program, path, content, partnerId, exists, stepId },
    detail: whyTexts[why],
    ...requestOf(step, dialects),
  };
}

/** The part of anything that names a thing. */
export function keyOf({ kind, brandId, programId, transactionTypeId, name }: ThingKey): ThingKey {
  return { kind, brandId, programId, transactionTypeId, name };
}
