import {
  brandAttributeChangeSchema,
  brandAttributeInputSchema,
  templateInputSchema,
  transactionAttributeInputSchema,
  transactionTypeChangeSchema,
} from '#contracts';
import type { ThingAction, ThingContent, ThingKey } from '#domain';
import type { Administration, AdministrationCall, AttemptReport, CallOptions } from '#gateway';

/** A thing, and what is to be done about it. */
export interface ThingToPut extends ThingKey {
  readonly action: ThingAction;
  readonly content: ThingContent;
  /** The partner's, for what is changed by its id. */
  readonly partnerId: string | null;
}

/** The call that puts a thing in place (partner-api.md 4.8 to 4.12). */
export function administrationCall(thing: ThingToPut): AdministrationCall {
  const { kind, brandId, programId, transactionTypeId, name, content } = thing;
  const program = { brandId, programId: programId ?? '' };
  switch (kind) {
    case 'brand-attribute':
      return brandAttributeCall(thing);
    case 'transaction-type': {
      const input = { ...program, transactionTypeId: name, ...transactionTypeChangeSchema.parse(content) };
      return { call: 'updateTransactionType', input };
    }
    case 'transaction-attribute': {
      const type = { ...program, transactionTypeId: transactionTypeId ?? '' };
      const input = { ...type, ...transactionAttributeInputSchema.parse(content) };
      return { call: 'createTransactionAttribute', input };
    }
    case 'template':
      return { call: 'createTemplate', input: { ...program, ...templateInputSchema.parse(content) } };
  }
}

function brandAttributeCall({ action, brandId, partnerId, content }: ThingToPut): AdministrationCall {
  if (action === 'create') {
    return { call: 'createBrandAttribute', input: { brandId, ...brandAttributeInputSchema.parse(content) } };
  }
  const change = brandAttributeChangeSchema.parse(content);
  return { call: 'updateBrandAttribute', input: { brandId, brandAttributeId: partnerId ?? '', ...change } };
}

/** Makes the call, once. */
export async function administer(
  partner: Administration,
  { call, input }: AdministrationCall,
  options: CallOptions,
): Promise<AttemptReport<object>> {
  switch (call) {
    case 'updateTransactionType':
      return partner.updateTransactionType(input, options);
    case 'createTransactionAttribute':
      return partner.createTransactionAttribute(input, options);
    case 'createBrandAttribute':
      return partner.createBrandAttribute(input, options);
    case 'updateBrandAttribute':
      return partner.updateBrandAttribute(input, options);
    case 'createTemplate':
      return partner.createTemplate(input, options);
  }
}
