import { type BrandAttribute, brandAttributeInputSchema, brandAttributeSchema } from '#contracts';
import type { Dialect } from '../dialect/dialect-schema.js';
import type { BrandAttributeCreation } from '../port/administration.js';
import { checkInput } from '../wallet/check-input.js';
import type { PlannedRequest } from '../wallet/planned-request.js';
import { type ReadShape, readShape } from '../wallet/read-shape.js';
import { brandPath } from '../wallet/request-path.js';
import { operation } from './operation.js';
import { withOurNames, withTheirNames } from './renamed.js';
import { sentName } from './sent-name.js';

export function planBrandAttribute(creation: BrandAttributeCreation, dialect: Dialect): PlannedRequest {
  const { brandId, ...input } = creation;
  const body = withTheirNames(checkInput(brandAttributeInputSchema, input), dialect.brandAttribute.names);
  return { method: 'POST', path: `${brandPath({ brandId })}/attributes`, body: JSON.stringify(body) };
}

export function readBrandAttribute(
  answer: Readonly<Record<string, unknown>>,
  { brandAttribute: { names } }: Dialect,
): ReadShape<BrandAttribute> {
  return readShape(brandAttributeSchema, withOurNames(answer, names));
}

/** 4.10 Create a brand attribute. */
export const createBrandAttribute = operation({
  plan: planBrandAttribute,
  read: readBrandAttribute,
  sentValues: sentName,
});
