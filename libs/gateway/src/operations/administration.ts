import {
  type BrandAttribute,
  brandAttributeChangeSchema,
  brandAttributeInputSchema,
  brandAttributeSchema,
  brandChangeSchema,
  brandSchema,
  templateInputSchema,
  templateSchema,
  transactionAttributeInputSchema,
  transactionAttributeSchema,
  transactionTypeChangeSchema,
  transactionTypeSchema,
} from '#contracts';
import { readShape, type ReadShape } from '../call/answer-body.js';
import { brandPath, checkInput, type PlannedRequest, programPath, segment } from '../call/planned-request.js';
import type { SentValues } from '../call/duplicate-refusal.js';
import type { Dialect } from '../dialect/dialect-schema.js';
import type {
  BrandAttributeCreation,
  BrandAttributeUpdate,
  BrandUpdate,
  TemplateCreation,
  TransactionAttributeCreation,
  TransactionTypeReference,
  TransactionTypeUpdate,
} from '../port/administration.js';
import { operation } from '../call/operation.js';

type Names = Readonly<Record<string, string>>;

/**
 * An answer whose properties bear the dialect's names, by ours.
 * @param names ours -> the partner's
 */
export function withOurNames(
  answer: Readonly<Record<string, unknown>>,
  names: Names,
): Readonly<Record<string, unknown>> {
  const ours = new Map(Object.entries(names).map(([our, their]) => [their, our]));
  const entries = Object.entries(answer);
  // What the dialect names comes last: it wins over an unknown property that happens to bear our name.
  const isNamed = ([name]: readonly [string, unknown]): boolean => ours.has(name);
  return Object.fromEntries([
    ...entries.filter((entry) => !isNamed(entry)),
    ...entries.filter(isNamed).map(([name, value]) => [ours.get(name) ?? name, value]),
  ]) as Readonly<Record<string, unknown>>;
}

/** Properties of ours by the dialect's names; one that the dialect does not name keeps its own. */
export function withTheirNames(
  properties: Readonly<Record<string, unknown>>,
  names: Names,
): Readonly<Record<string, unknown>> {
  const renamed = Object.entries(properties).map(([name, value]) => [
    Object.hasOwn(names, name) ? names[name] : name,
    value,
  ]);
  return Object.fromEntries(renamed) as Readonly<Record<string, unknown>>;
}

/** What a duplicate refusal of something named would mention. */
function sentName({ name }: { readonly name?: string }): SentValues {
  return { values: name === undefined ? [] : [name], names: [] };
}

/** @throws InvalidRequest */
function transactionTypePath(reference: TransactionTypeReference): string {
  return `${programPath(reference)}/transaction-types/${segment('transactionTypeId', reference.transactionTypeId)}`;
}

export function planTransactionTypeUpdate(update: TransactionTypeUpdate): PlannedRequest {
  const { brandId, programId, transactionTypeId, ...change } = update;
  const body = JSON.stringify(checkInput(transactionTypeChangeSchema, change));
  return { method: 'PATCH', path: transactionTypePath({ brandId, programId, transactionTypeId }), body };
}

/** 4.8 Update a transaction type. */
export const updateTransactionType = operation({
  plan: planTransactionTypeUpdate,
  read: (answer) => readShape(transactionTypeSchema, answer),
  sentValues: sentName,
});

export function planTransactionAttribute(creation: TransactionAttributeCreation, dialect: Dialect): PlannedRequest {
  const { brandId, programId, transactionTypeId, ...input } = creation;
  const { names, dataTypes } = dialect.transactionAttribute;
  const { dataType, ...rest } = checkInput(transactionAttributeInputSchema, input);
  const body = withTheirNames({ ...rest, dataType: dataTypes[dataType] }, names);
  const path = `${transactionTypePath({ brandId, programId, transactionTypeId })}/attributes`;
  return { method: 'POST', path, body: JSON.stringify(body) };
}

/** 4.9 Create a transaction type attribute. */
export const createTransactionAttribute = operation({
  plan: planTransactionAttribute,
  read: (answer, { transactionAttribute: { names } }) =>
    readShape(transactionAttributeSchema, withOurNames(answer, names)),
  sentValues: sentName,
});

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

export function planBrandUpdate({ brandId, ...change }: BrandUpdate): PlannedRequest {
  return { method: 'PATCH', path: brandPath({ brandId }), body: JSON.stringify(checkInput(brandChangeSchema, change)) };
}

/** 4.13 Update a brand. */
export const updateBrand = operation({
  plan: planBrandUpdate,
  read: (answer) => readShape(brandSchema, answer),
  sentValues: sentName,
});
