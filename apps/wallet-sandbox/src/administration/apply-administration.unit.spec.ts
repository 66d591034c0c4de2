import { brandAttributeBodySchema, transactionAttributeBodySchema } from '../contract/administration-bodies.js';
import { applyEffect } from '../effects/effect-writer.js';
import type { Effect, EffectResult } from '../effects/effect.js';
import { type LoadedState, WorkingSet } from '../effects/working-set.js';
import { callOf } from '../http/testing/call-of.js';
import { Catalogue } from '../seed/catalogue.js';
import { defaultSeed, parseSeed } from '../seed/load-seed.js';

const nowMs = Date.UTC(2026, 10, 21, 9);
const nothing: LoadedState = { lastId: 0, lastSeq: 0, passes: [], persons: [], usedValues: [] };
const call = callOf({ operation: 'update-brand', arrivedAt: nowMs });
const catalogue = new Catalogue(parseSeed(defaultSeed));
const program = catalogue.program(call);
const brand = catalogue.brand(call);
/** Brand-wide paths name no program. */
const brandCall = { ...call, programId: '' };

const createAttribute = (body: object): Effect => {
  const attribute = brandAttributeBodySchema.parse(body);
  return { operation: 'create-brand-attribute', call: brandCall, brand, attribute, body };
};
const updateAttribute = (attributeId: string, changes: object): Effect => {
  const target = { ...brandCall, targetId: attributeId };
  return { operation: 'update-brand-attribute', call: target, brand, attributeId, changes, body: changes };
};
const createTransactionAttribute = (typeId: string, body: object): Effect => {
  const attribute = transactionAttributeBodySchema.parse(body);
  const target = { ...call, targetId: typeId };
  return { operation: 'create-transaction-attribute', call: target, program, typeId, attribute, body };
};

function run(effect: Effect, loaded: Partial<LoadedState> = {}): { state: WorkingSet; result: EffectResult } {
  const state = new WorkingSet({ ...nothing, ...loaded });
  return { state, result: applyEffect(state, effect, nowMs) };
}

const untouched = (state: WorkingSet): boolean =>
  [state.ledger, state.catalogueChanges, state.uniquenessChanges].every((changes) => changes.length === 0);

describe('a brand attribute', () => {
  it('is created with the defaults, and answered whole', () => {
    const { state, result } = run(createAttribute({ name: 'shop', description: 'Where' }));
    const answer = {
      brandAttributeId: 1,
      name: 'shop',
      description: 'Where',
      dataType: 'string',
      searchable: false,
      unique: false,
      required: false,
      encrypted: false,
      statusCode: 'ACTIVE',
      brandId: 101,
    };
    expect(result).toEqual({ kind: 'applied', answer });
    expect(state.ledger).toMatchObject([
      { operation: 'create-brand-attribute', programId: null, uniqueId: null, passId: null, key: null, targetId: '1' },
    ]);
    expect(state.catalogueChanges).toMatchObject([{ kind: 'brand-attribute-put', attribute: { id: 1, name: 'shop' } }]);
    expect(state.uniquenessChanges).toMatchObject([{ ended: null, begun: null }]);
  });

  it.each([
    ['the name of another', createAttribute({ name: 'memberId' }), /^name:.*memberId/],
    ['another id than that of the path', updateAttribute('501', { brandAttributeId: 502 }), /^brandAttributeId/],
    ['another brand than that of the path', updateAttribute('501', { brandId: 102 }), /^brandId/],
  ])('is refused with %s', (_what, effect, message) => {
    const { state, result } = run(effect);
    expect(result).toEqual({ kind: 'refused', message: expect.stringMatching(message) as string });
    expect(untouched(state)).toBe(true);
  });

  it('that does not exist is not found', () => {
    expect(run(updateAttribute('9', {})).result).toMatchObject({ kind: 'refused', status: 404 });
  });

  it('keeps what an update does not give, its own name and ids included', () => {
    const { result } = run(
      updateAttribute('501', { brandAttributeId: 501, brandId: 101, name: 'memberId', description: 'ours' }),
    );
    expect(result).toMatchObject({
      kind: 'applied',
      answer: { brandAttributeId: 501, name: 'memberId', description: 'ours', searchable: true, unique: true },
    });
  });

  it('begins to be unique unless cardholders share a value already', () => {
    const begun = { brandId: '101', key: 'shop' };
    const effect = createAttribute({ name: 'shop', unique: true });
    expect(run(effect).state.uniquenessChanges).toEqual([{ ended: null, begun }]);
    const { state, result } = run(effect, { sharedKeys: [begun] });
    expect(result).toMatchObject({ kind: 'refused', message: expect.stringMatching(/^unique: .*shop/) as string });
    expect(untouched(state)).toBe(true);
  });

  it.each([
    ['is the unique identifier', { name: 'memberId', unique: false }],
    ['is not active', { name: 'memberNumber', statusCode: 'INACTIVE' }],
  ])('needs no uniqueness of its own where it %s', (_what, changes) => {
    expect(run(updateAttribute('501', changes)).state.uniquenessChanges).toEqual([{ ended: null, begun: null }]);
  });
});

describe('a transaction type', () => {
  it('gets an attribute, answered whole', () => {
    const body = { name: 'voucher', dataType: 'number', required: true, uniqueKey: true };
    const { state, result } = run(createTransactionAttribute('33', body));
    const ids = { transactionAttributeId: 1, transactionTypeId: 33, programId: 2001, brandId: 101 };
    expect(result).toEqual({ kind: 'applied', answer: { ...body, ...ids, type: 'CUSTOM', encrypted: false } });
    expect(state.ledger).toMatchObject([
      { operation: 'create-transaction-attribute', programId: '2001', targetId: '1' },
    ]);
    expect(state.catalogueChanges).toMatchObject([{ typeId: '33', attribute: { name: 'voucher', unique: true } }]);
  });

  it('refuses an attribute that it has', () => {
    const { state, result } = run(createTransactionAttribute('31', { name: 'receipt' }));
    expect(result).toMatchObject({ kind: 'refused', message: expect.stringMatching(/^name: .*receipt/) as string });
    expect(untouched(state)).toBe(true);
    expect(run(createTransactionAttribute('33', { name: 'receipt' })).result.kind).toBe('applied');
  });

  it('gets another name', () => {
    const effect: Effect = {
      operation: 'update-transaction-type',
      call: { ...call, targetId: '31' },
      program,
      typeId: '31',
      name: 'sale',
      body: { name: 'sale' },
    };
    const { state, result } = run(effect);
    expect(result).toEqual({ kind: 'applied', answer: { transactionTypeId: 31, name: 'sale', programId: 2001 } });
    expect(state.ledger).toMatchObject([{ targetId: '31', programId: '2001', body: { name: 'sale' } }]);
  });
});

it('a template is created under a number of its own', () => {
  const template = { name: 'gold', passType: 'EVENT' };
  const { state, result } = run({ operation: 'create-template', call, program, template, body: template });
  expect(result).toEqual({ kind: 'applied', answer: { templateId: 1, name: 'gold' } });
  expect(state.ledger).toMatchObject([{ targetId: '1', uniqueId: null, body: template }]);
});

it('a brand gets another name', () => {
  const { state, result } = run({ operation: 'update-brand', call: brandCall, brand, name: 'Bean', body: {} });
  expect(result).toEqual({ kind: 'applied', answer: { brandId: 101, name: 'Bean', statusCode: 'ACTIVE' } });
  expect(state.ledger).toMatchObject([{ targetId: '101', programId: null }]);
  expect(state.catalogueVersion).toBe(1);
});
