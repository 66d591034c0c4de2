import type { DialectRegistry } from './dialect/dialect-registry.js';
import type { Dialect } from './dialect/dialect-schema.js';
import { planBrandAttribute } from './operations/create-brand-attribute.js';
import { planTemplate } from './operations/create-template.js';
import { planTransactionAttribute } from './operations/create-transaction-attribute.js';
import { planBrandAttributeUpdate } from './operations/update-brand-attribute.js';
import { planTransactionTypeUpdate } from './operations/update-transaction-type.js';
import type { AdministrationCall } from './port/administration.js';
import { previewPlan, type RequestPreview } from './preview-request.js';
import type { PlannedRequest } from './wallet/planned-request.js';

function planOf({ call, input }: AdministrationCall, dialect: Dialect): PlannedRequest {
  switch (call) {
    case 'updateTransactionType':
      return planTransactionTypeUpdate(input);
    case 'createTransactionAttribute':
      return planTransactionAttribute(input, dialect);
    case 'createBrandAttribute':
      return planBrandAttribute(input, dialect);
    case 'updateBrandAttribute':
      return planBrandAttributeUpdate(input, dialect);
    case 'createTemplate':
      return planTemplate(input);
  }
}

/** The very request that a call would make, without making it. The token and the base address are left out. */
export function previewAdministration(call: AdministrationCall, dialects: DialectRegistry): RequestPreview {
  return previewPlan(() => planOf(call, dialects.of(call.input).dialect));
}
