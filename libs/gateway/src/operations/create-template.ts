import { templateInputSchema, templateSchema } from '#contracts';
import type { TemplateCreation } from '../port/administration.js';
import { checkInput } from '../wallet/check-input.js';
import type { PlannedRequest } from '../wallet/planned-request.js';
import { readShape } from '../wallet/read-shape.js';
import { programPath } from '../wallet/request-path.js';
import { operation } from './operation.js';
import { sentName } from './sent-name.js';

export function planTemplate({ brandId, programId, ...input }: TemplateCreation): PlannedRequest {
  const body = JSON.stringify(checkInput(templateInputSchema, input));
  return { method: 'POST', path: `${programPath({ brandId, programId })}/templates`, body };
}

/** 4.12 Create a wallet template. */
export const createTemplate = operation({
  plan: planTemplate,
  read: (answer) => readShape(templateSchema, answer),
  sentValues: sentName,
});
