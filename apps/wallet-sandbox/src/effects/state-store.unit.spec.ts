import type { SqlSession } from '#platform';
import { callOf } from '../http/testing/call-of.js';
import { Catalogue } from '../seed/catalogue.js';
import { defaultSeed, parseSeed } from '../seed/load-seed.js';
import { applyEffect } from './effect-writer.js';
import type { Effect } from './effect.js';
import { loadState, saveState } from './state-store.js';

const catalogue = new Catalogue(parseSeed(defaultSeed));
const call = callOf();
const program = catalogue.program(call);
const content = { passdata: { metaData: { memberId: 'm_1' } } };
const issue: Effect = { operation: 'issue', call, program, identity: 'm_1', content, body: content };
const transaction = { amount: 1, transactionDate: '2026-11-21T09:00:00Z', attributes: { receipt: 'R1' } };
const handle = { uniqueId: 'm_1' };
const sale: Effect = { operation: 'transaction', call, program, handle, typeId: '31', transaction, body: {} };

/** Names of the statements of one batch, on a database where `m_1` has a pass unless it is issued in the batch. */
async function statementsOf(...effects: readonly Effect[]): Promise<string[]> {
  const names: string[] = [];
  const counter = { lastId: 0, lastSeq: 0, catalogueVersion: catalogue.version };
  const pass = { passId: 1, brandId: '101', programId: '2001', uniqueId: 'm_1', createdAt: 0, passdata: '{}' };
  const rowsOf = (name: string): object[] => {
    if (name.includes('lock_counter')) return [counter];
    return name.includes('select_passes') && !effects.includes(issue) ? [pass] : [];
  };
  const session = {
    query: async ({ name }: { name: string }) => {
      names.push(name.replace('sandbox_', ''));
      return { rows: rowsOf(name), rowCount: 0 };
    },
  } as SqlSession;
  const state = await loadState(session, catalogue, effects);
  for (const effect of effects) expect(applyEffect(state, effect, 0)).not.toHaveProperty('message');
  await saveState(session, state);
  return names;
}

describe('what a batch costs, however many effects it has', () => {
  it('transactions', async () => {
    expect(
      await statementsOf(sale, { ...sale, transaction: { ...transaction, attributes: { receipt: 'R2' } } }),
    ).toEqual([
      'lock_counter',
      'select_passes_by_unique_id',
      'select_unique_values',
      'save_transactions',
      'save_unique_values',
      'append_ledger',
    ]);
  });

  it('issues, where the brand keeps nothing unique but its identifier', async () => {
    expect(await statementsOf(issue)).toEqual([
      'lock_counter',
      'select_passes_by_unique_id',
      'select_persons',
      'save_persons',
      'save_passes',
      'append_ledger',
    ]);
  });
});
