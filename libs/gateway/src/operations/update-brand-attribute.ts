import { brandAttributeChangeSchema } from '#contracts';
import type { Dialect } from '../dialect/dialect-schema.js';
import type { BrandAttributeUpdate } from '../port/administration.js';
import { checkInput } from '../wallet/check-input.js';
import type { PlannedRequest } from '../wallet/planned-request.js';
import { brandPath, segment } from '../wallet/request-path.js';
import { readBrandAttribute } from './create-brand-attribute.js';
import { operation } from './operation.js';
import { withTheirNames } from './renamed.js';
import { sentName } from './sent-name.js';

export function planBrandAttributeUpdate(update: BrandAttributeUpdate, dialect: Dialect): PlannedRequest {
  const { brandId, brandAttributeId, ...change } = update;
  const body = withTheirNames(checkInput(brandAttributeChangeSchema, change), dialect.brandAttribute.names);
  const path = `${brandPath({ brandId })}/attributes/${segment('brandAttributeId', brandAttributeId)}`;
  return { method: 'PATCH', path, body: JSON.stringify(body) };
}

/** 4.11 Update a brand attribute. */
export const updateBrandAttribute = operation({
  plan: planBrandAttributeUpdate,
  read: readBrandAttribute,
  sentValues: sentName,
});
