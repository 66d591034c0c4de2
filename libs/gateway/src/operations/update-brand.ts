import { brandChangeSchema, brandSchema } from '#contracts';
import type { BrandUpdate } from '../port/administration.js';
import { checkInput } from '../wallet/check-input.js';
import type { PlannedRequest } from '../wallet/planned-request.js';
import { readShape } from '../wallet/read-shape.js';
import { brandPath } from '../wallet/request-path.js';
import { operation } from './operation.js';
import { sentName } from './sent-name.js';

export function planBrandUpdate({ brandId, ...change }: BrandUpdate): PlannedRequest {
  return { method: 'PATCH', path: brandPath({ brandId }), body: JSON.stringify(checkInput(brandChangeSchema, change)) };
}

/** 4.13 Update a brand. */
export const updateBrand = operation({
  plan: planBrandUpdate,
  read: (answer) => readShape(brandSchema, answer),
  sentValues: sentName,
});
