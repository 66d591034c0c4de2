import { testDatabase, type TestDatabase } from '#test-support';
import { brandAttributeBodySchema, transactionAttributeBodySchema } from '../contract/administration-bodies.js';
import { callOf } from '../http/testing/call-of.js';
import { Catalogue } from '../seed/catalogue.js';
import { defaultSeed, parseSeed } from '../seed/load-seed.js';
import { openDatabase, type OpenDatabase } from '../store/database.js';
import { prepareSchema } from '../store/schema.js';
import { EffectWriter } from './effect-writer.js';
import type { Effect } from './effect.js';

let database: TestDatabase;
let opened: OpenDatabase;

beforeAll(async () => {
  database = await testDatabase({ migrate: false });
  opened = await openDatabase(database.url);
  await prepareSchema(opened.database);
});

afterAll(async () => {
  await opened.close();
  await database.dispose();
});

const catalogue = new Catalogue(parseSeed(defaultSeed));
const call = callOf();
const program = catalogue.program(call);
const brand = catalogue.brand(call);
const issue: Effect = { operation: 'issue', call, program, identity: 'm_1', content: {}, body: {} };
const transaction = { amount: 1, transactionDate: '2026-11-21T09:00:00Z', attributes: {} };
const sale: Effect = {
  operation: 'transaction',
  call,
  program,
  handle: { uniqueId: 'm_1' },
  typeId: '33',
  transaction,
  body: {},
};

/** Hands all effects over in one turn, as requests that arrive together. */
async function applyTogether(effects: readonly Effect[]): Promise<string[]> {
  const writer = new EffectWriter(opened.database, catalogue);
  await writer.onModuleInit();
  const results = await Promise.allSettled(effects.map((effect) => writer.apply(effect)));
  return results.map(({ status }) => status);
}

it('effects that arrive together are judged by the changes of the catalogue among them', async () => {
  const attribute = transactionAttributeBodySchema.parse({ name: 'voucher', required: true });
  const require: Effect = {
    operation: 'create-transaction-attribute',
    call,
    program,
    typeId: '33',
    attribute,
    body: {},
  };
  expect(await applyTogether([issue, sale, require, sale, require])).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
  ]);
});

it('a catalogue that fell behind catches up with the next effect', async () => {
  const attribute = brandAttributeBodySchema.parse({ name: 'shop' });
  const effect: Effect = { operation: 'create-brand-attribute', call, brand, attribute, body: {} };
  expect(await applyTogether([effect])).toEqual(['fulfilled']);
  const other = new Catalogue(parseSeed(defaultSeed));
  const writer = new EffectWriter(opened.database, other);
  await expect(writer.apply({ ...effect, brand: other.brand(call) })).rejects.toThrow('shop');
  expect(other.version).toBe(catalogue.version);
});
