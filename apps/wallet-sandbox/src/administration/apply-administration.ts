import type {
  BrandAnswer,
  BrandAttributeAnswer,
  BrandAttributeChanges,
  TemplateAnswer,
  TransactionAttributeAnswer,
  TransactionTypeAnswer,
} from '../contract/administration-bodies.js';
import {
  applied,
  type CreateBrandAttributeEffect,
  type CreateTemplateEffect,
  type CreateTransactionAttributeEffect,
  type Effect,
  type EffectResult,
  refused,
  type UpdateBrandAttributeEffect,
  type UpdateBrandEffect,
  type UpdateTransactionTypeEffect,
} from '../effects/effect.js';
import { recordEffect, type WorkingSet } from '../effects/working-set.js';
import { uniquenessChange, type UniqueKey, uniqueKeyOf } from '../passes/meta-data.js';
import { type Brand, transactionTypeOf } from '../seed/catalogue.js';
import type { BrandAttribute } from '../seed/seed.js';

/** 4.13: gives the brand another name. */
export function applyUpdateBrand(state: WorkingSet, effect: UpdateBrandEffect, nowMs: number): EffectResult {
  const { brandId, statusCode } = effect.brand;
  const { name } = effect;
  state.changeCatalogue({ kind: 'brand-renamed', brandId, name });
  recordEffect(state, { effect, targetId: brandId, nowMs });
  return applied({ brandId: Number(brandId), name, statusCode } satisfies BrandAnswer);
}

/** 4.10: a further attribute of the brand; `passdata.metaData` is judged by it from now on. */
export function applyCreateBrandAttribute(
  state: WorkingSet,
  effect: CreateBrandAttributeEffect,
  nowMs: number,
): EffectResult {
  const after = { ...effect.attribute, id: state.nextId() };
  return putBrandAttribute(state, { effect, before: null, after }, nowMs);
}

/** 4.11: changes the given properties of a brand attribute. */
export function applyUpdateBrandAttribute(
  state: WorkingSet,
  effect: UpdateBrandAttributeEffect,
  nowMs: number,
): EffectResult {
  const { brand, attributeId, changes } = effect;
  const { wording } = effect.call;
  const before = findBrandAttribute(brand, attributeId);
  if (before === null) return refused(wording.noSuch('brand attribute', attributeId), 404);
  if (isOther(changes.brandAttributeId, attributeId)) {
    return refused(wording.invalid('brandAttributeId', 'is not the attribute of the path'));
  }
  if (isOther(changes.brandId, brand.brandId)) {
    return refused(wording.invalid('brandId', 'is not the brand of the path'));
  }
  return putBrandAttribute(state, { effect, before, after: changedAttribute(before, changes) }, nowMs);
}

function isOther(given: number | undefined, expected: string): boolean {
  return given !== undefined && String(given) !== expected;
}

interface BrandAttributePut {
  readonly effect: CreateBrandAttributeEffect | UpdateBrandAttributeEffect;
  /** Null when it is new. */
  readonly before: BrandAttribute | null;
  readonly after: BrandAttribute;
}

/** Creates or replaces a brand attribute, unless another has its name or passes contradict its uniqueness. */
function putBrandAttribute(state: WorkingSet, put: BrandAttributePut, nowMs: number): EffectResult {
  const { effect, before, after } = put;
  const { brand, call } = effect;
  if (brand.attributes.some(({ id, name }) => name === after.name && id !== after.id)) {
    return refused(call.wording.invalid('name', `the brand already has an attribute ${after.name}`));
  }
  const uniqueness = uniquenessChange(brand, before, after);
  if (uniqueness.begun !== null && state.isShared(uniqueness.begun)) {
    return refused(call.wording.invalid('unique', `passes of several cardholders share a value of ${after.name}`));
  }
  state.changeUniqueness(uniqueness);
  state.changeCatalogue({ kind: 'brand-attribute-put', brandId: brand.brandId, attribute: after });
  recordEffect(state, { effect, targetId: String(after.id), nowMs });
  return applied(toBrandAttribute(brand.brandId, after));
}

/** Brand attribute of partner-api.md section 2. */
function toBrandAttribute(brandId: string, attribute: BrandAttribute): BrandAttributeAnswer {
  const { id, ...properties } = attribute;
  return { brandAttributeId: id, ...properties, brandId: Number(brandId) };
}

/** The uniqueness that an effect would begin among the passes that exist already. */
export function begunUniqueness(effect: Effect): UniqueKey[] {
  if (effect.operation === 'create-brand-attribute') {
    const key = uniqueKeyOf(effect.brand, { ...effect.attribute, id: 0 });
    return key === null ? [] : [key];
  }
  if (effect.operation !== 'update-brand-attribute') return [];
  const known = findBrandAttribute(effect.brand, effect.attributeId);
  if (known === null) return [];
  const { begun } = uniquenessChange(effect.brand, known, changedAttribute(known, effect.changes));
  return begun === null ? [] : [begun];
}

/** The attribute that a path names, or null. */
function findBrandAttribute(brand: Brand, attributeId: string): BrandAttribute | null {
  return brand.attributes.find(({ id }) => String(id) === attributeId) ?? null;
}

/** The attribute with the given properties changed and the others kept. */
function changedAttribute(known: BrandAttribute, changes: BrandAttributeChanges): BrandAttribute {
  const { brandAttributeId: _id, brandId: _brandId, ...properties } = changes;
  const given = Object.entries(properties).filter(([, value]) => value !== undefined);
  return { ...known, ...(Object.fromEntries(given) as Partial<BrandAttribute>) };
}

/** 4.12: a further template of the program; a card may be issued with it from now on. Names may repeat. */
export function applyCreateTemplate(state: WorkingSet, effect: CreateTemplateEffect, nowMs: number): EffectResult {
  const { brandId, programId } = effect.program;
  const template = { ...effect.template, id: state.nextId() };
  state.changeCatalogue({ kind: 'template-created', brandId, programId, template });
  recordEffect(state, { effect, targetId: String(template.id), nowMs });
  return applied({ templateId: template.id, name: template.name } satisfies TemplateAnswer);
}

/** 4.8: gives the transaction type another name. */
export function applyUpdateTransactionType(
  state: WorkingSet,
  effect: UpdateTransactionTypeEffect,
  nowMs: number,
): EffectResult {
  const { typeId, name } = effect;
  const { brandId, programId } = effect.program;
  state.changeCatalogue({ kind: 'transaction-type-renamed', brandId, programId, typeId, name });
  recordEffect(state, { effect, nowMs });
  const answer: TransactionTypeAnswer = { transactionTypeId: Number(typeId), name, programId: Number(programId) };
  return applied(answer);
}

/** 4.9: a further attribute of the transaction type; transactions are judged by it from now on. */
export function applyCreateTransactionAttribute(
  state: WorkingSet,
  effect: CreateTransactionAttributeEffect,
  nowMs: number,
): EffectResult {
  const { typeId, program, call } = effect;
  const known = transactionTypeOf(program, typeId).attributes;
  if (known.some(({ name }) => name === effect.attribute.name)) {
    return refused(call.wording.invalid('name', `the transaction type already has ${effect.attribute.name}`));
  }
  const transactionAttributeId = state.nextId();
  const { brandId, programId } = program;
  const { uniqueKey, ...rest } = effect.attribute;
  const attribute = { ...rest, unique: uniqueKey };
  state.changeCatalogue({ kind: 'transaction-attribute-created', brandId, programId, typeId, attribute });
  recordEffect(state, { effect, targetId: String(transactionAttributeId), nowMs });
  return applied(toAnswer(effect, transactionAttributeId));
}

function toAnswer(
  { program, typeId, attribute }: CreateTransactionAttributeEffect,
  transactionAttributeId: number,
): TransactionAttributeAnswer {
  return {
    transactionAttributeId,
    ...attribute,
    type: 'CUSTOM',
    transactionTypeId: Number(typeId),
    programId: Number(program.programId),
    brandId: Number(program.brandId),
  };
}
