import type {
  BrandAttributeChange,
  BrandAttributeInput,
  BrandChange,
  TemplateInput,
  TransactionAttributeInput,
  TransactionTypeChange,
} from '#contracts';
import { answerOf } from './gateway-answer.js';
import { byPortNames, type PortCall, programOf } from './port-call.js';

/** 4.8 */
export const updateTransactionType: PortCall = {
  make: async (step, { partner, options }) => {
    const reference = { ...programOf(step), transactionTypeId: step.path['transaction_type_id'] ?? '' };
    const change = { ...reference, ...(byPortNames(step.body) as TransactionTypeChange) };
    return answerOf(await partner.updateTransactionType(change, options));
  },
};

/** 4.9 */
export const createTransactionAttribute: PortCall = {
  make: async (step, { partner, options }) => {
    const reference = { ...programOf(step), transactionTypeId: step.path['transaction_type_id'] ?? '' };
    const input = byPortNames(step.body) as TransactionAttributeInput;
    return answerOf(await partner.createTransactionAttribute({ ...reference, ...input }, options));
  },
};

/** 4.10 */
export const createBrandAttribute: PortCall = {
  make: async (step, { partner, options }) => {
    const input = byPortNames(step.body) as BrandAttributeInput;
    return answerOf(await partner.createBrandAttribute({ brandId: step.path['brand_id'] ?? '', ...input }, options));
  },
};

/** 4.11 */
export const updateBrandAttribute: PortCall = {
  make: async (step, { partner, options }) => {
    const { brand_id: brandId = '', brand_attribute_id: brandAttributeId = '' } = step.path;
    const change = byPortNames(step.body) as BrandAttributeChange;
    return answerOf(await partner.updateBrandAttribute({ brandId, brandAttributeId, ...change }, options));
  },
};

/** 4.12 */
export const createTemplate: PortCall = {
  make: async (step, { partner, options }) => {
    const input = byPortNames(step.body) as TemplateInput;
    return answerOf(await partner.createTemplate({ ...programOf(step), ...input }, options));
  },
};

/** 4.13 */
export const updateBrand: PortCall = {
  make: async (step, { partner, options }) => {
    const change = byPortNames(step.body) as BrandChange;
    return answerOf(await partner.updateBrand({ brandId: step.path['brand_id'] ?? '', ...change }, options));
  },
};
