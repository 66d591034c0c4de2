import { chooseWording } from '../contract/wordings.js';
import { applyEffect } from '../effects/effect-writer.js';
import type { Effect } from '../effects/effect.js';
import { WorkingSet } from '../effects/working-set.js';
import type { Call } from '../http/call.js';
import { callOf } from '../http/testing/call-of.js';
import { Catalogue } from '../seed/catalogue.js';
import { parseSeed } from '../seed/load-seed.js';

const programs = [
  { id: 11, templates: [1] },
  { id: 12, templates: [1] },
];
const brandAttributes = [
  { id: 1, name: 'memberId', unique: true },
  { id: 2, name: 'shop', unique: true },
];
const catalogue = new Catalogue(
  parseSeed({ brands: [{ id: 1, uniqueIdentifier: 'metaData.memberId', brandAttributes, programs }] }),
);
const call = callOf({ brandId: '1', programId: '11' });

const contentOf = (memberId: string, shop: string | null) => ({ passdata: { metaData: { memberId, shop } } });

const issue = (identity: string, shop: string | null, given: Partial<Call> = {}): Effect => {
  const content = contentOf(identity, shop);
  const made = { ...call, ...given };
  return { operation: 'issue', call: made, program: catalogue.program(made), identity, content, body: content };
};
const update = (identity: string, shop: string | null): Effect => {
  const content = contentOf(identity, shop);
  const program = catalogue.program(call);
  return { operation: 'update-via-workflow', call, program, identity, content, body: content };
};

function run(...effects: readonly Effect[]): { state: WorkingSet; kinds: string[]; last: unknown } {
  const state = new WorkingSet({ lastId: 0, lastSeq: 0, passes: [], persons: [], usedValues: [] });
  const results = effects.map((effect) => applyEffect(state, effect, 0));
  return { state, kinds: results.map(({ kind }) => kind), last: results.at(-1) };
}

it('two cardholders cannot have one value, neither on issue nor on update', () => {
  const { state, kinds, last } = run(issue('m_1', 'a'), issue('m_2', 'a'), issue('m_2', 'b'), update('m_2', 'a'));
  expect(kinds).toEqual(['applied', 'refused', 'applied', 'refused']);
  expect(last).toEqual({ kind: 'refused', message: chooseWording(0).passExists('passdata.metaData.shop', 'a') });
  expect(state.metaData.changes().held.map(({ identity, value }) => [identity, value])).toEqual([
    ['m_1', 'a'],
    ['m_2', 'b'],
  ]);
});

it('one cardholder has it on the passes of several programs', () => {
  expect(run(issue('m_1', 'a'), issue('m_1', 'a', { programId: '12' })).kinds).toEqual(['applied', 'applied']);
  expect(run(issue('m_1', 'a'), issue('m_2', 'a', { programId: '12' })).kinds).toEqual(['applied', 'refused']);
});

it.each([
  ['cleared', null],
  ['replaced', 'b'],
])('a value that is %s is free again', (_how, shop) => {
  expect(run(issue('m_1', 'a'), update('m_1', shop), issue('m_2', 'a')).kinds).toEqual(Array(3).fill('applied'));
});

it('a fault may let it through', () => {
  expect(run(issue('m_1', 'a'), issue('m_2', 'a', { enforceUnique: false })).kinds).toEqual(['applied', 'applied']);
});

it('the unique identifier is not noted a second time', () => {
  const { state } = run(issue('m_1', null));
  expect(state.metaData.changes().held).toEqual([]);
});
