import { z } from 'zod';
import type { AttributeSource } from './program.js';
import { nameSchema, pathSchema } from './scalars.js';

const forms = 'must be a path such as attributes.campaign, { from: path, required: true } or { value: constant }';

const constant = z
  .strictObject({ value: z.union([z.string(), z.number(), z.boolean()]) })
  .transform(({ value }): AttributeSource => ({ kind: 'value', value }));

const path = pathSchema.transform((segments): AttributeSource => ({ kind: 'path', path: segments, required: false }));

const explicitPath = z
  .strictObject({ from: pathSchema, required: z.boolean().default(false) })
  .transform(({ from, required }): AttributeSource => ({ kind: 'path', path: from, required }));

/** `store: storeId`, `store: { from: storeId, required: true }` or `system: { value: pos }`. */
const attributeSourceSchema = z.union([path, explicitPath, constant], { error: forms });

/** The partner's attribute -> where its value comes from. */
export const attributeSourcesSchema = z.record(nameSchema, attributeSourceSchema).default({});
