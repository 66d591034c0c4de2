import type { Call } from '../http/call.js';
import { callOf } from '../http/testing/call-of.js';
import { Catalogue } from '../seed/catalogue.js';
import { defaultSeed, parseSeed } from '../seed/load-seed.js';
import { applyEffect } from './effect-writer.js';
import type { Effect, EffectResult } from './effect.js';
import { WorkingSet } from './working-set.js';

const nowMs = Date.UTC(2026, 10, 21, 9);
const program = new Catalogue(parseSeed(defaultSeed)).program({ brandId: '101', programId: '2001' });
const call = callOf({ arrivedAt: nowMs - 5 });

const issue = (identity: string, content = {}): Effect => {
  return { operation: 'issue', call, program, identity, content, body: content };
};
const update = (identity: string, content: object): Effect => {
  return { operation: 'update-via-workflow', call, program, identity, content, body: content };
};
const reward = (uniqueId: string, id = '9001'): Effect => {
  return { operation: 'reward', call, program, handle: { uniqueId }, reward: program.rewards.get(id)!, body: null };
};
const sale = (uniqueId: string, receipt: string, options: Partial<Call> & { type?: string } = {}): Effect => {
  const transaction = { amount: 1, transactionDate: '2026-11-21T09:00:00Z', attributes: { receipt } };
  const typeId = options.type ?? '31';
  const handle = { uniqueId };
  return { operation: 'transaction', call: { ...call, ...options }, program, handle, typeId, transaction, body: {} };
};

/** Applies effects one after another to nothing, as one batch does. */
function run(...effects: readonly Effect[]): { state: WorkingSet; results: EffectResult[] } {
  const state = new WorkingSet({ lastId: 0, lastSeq: 0, passes: [], persons: [], usedValues: [] });
  return { state, results: effects.map((effect) => applyEffect(state, effect, nowMs)) };
}

const kinds = (results: readonly EffectResult[]) => results.map((result) => result.kind);

describe('issue', () => {
  it('makes an active pass with the first template, and its person', () => {
    const { state, results } = run(issue('m_1', { person: { firstName: 'Ada' }, passdata: { points: 5 } }));
    expect(results).toMatchObject([
      { kind: 'applied', answer: { templateId: 11, statusCode: 'ACTIVE', status: 200, passdata: { points: 5 } } },
    ]);
    expect(state.changedPersonRows()).toMatchObject([{ identity: 'm_1', attributes: { firstName: 'Ada' } }]);
  });

  it('refuses a second pass of the same unique id in one batch', () => {
    const { state, results } = run(issue('m_1'), issue('m_1'), issue('m_2'));
    expect(kinds(results)).toEqual(['applied', 'refused', 'applied']);
    expect(state.ledger.map((entry) => [entry.seq, entry.uniqueId])).toEqual([
      [1, 'm_1'],
      [2, 'm_2'],
    ]);
  });

  it.each([
    [{ templateTierId: 3 }, 'templateTierId: no tier 3'],
    [{ templateId: 12 }, 'templateId: no template 12'],
    [{ programId: '2002' }, 'programId: is not the program of the path'],
    [{ brandId: 102 }, 'brandId: is not the brand of the path'],
  ])('refuses %j and changes nothing', (content, message) => {
    const { state, results } = run(issue('m_1', content));
    expect(results).toEqual([{ kind: 'refused', message }]);
    expect([state.changedPasses(), state.changedPersonRows(), state.ledger]).toEqual([[], [], []]);
  });
});

describe('update', () => {
  it('changes what is given, keeps the rest, clears nulls', () => {
    const known = { groupId: 'g', passdata: { points: 5, seat: '1', metaData: { memberId: 'm_1', shop: '7' } } };
    const { state } = run(
      issue('m_1', known),
      update('m_1', { groupId: null, templateTierId: 2, passdata: { seat: null, metaData: { shop: '8' } } }),
    );
    expect(state.changedPasses()).toMatchObject([
      { groupId: null, templateTierId: 2, passdata: { points: 5, metaData: { memberId: 'm_1', shop: '8' } } },
    ]);
    expect(state.changedPasses()[0]?.passdata).not.toHaveProperty('seat');
  });

  it('issues a pass where there is none: partner-api.md 4.3 issues or updates', () => {
    const { state, results } = run(update('m_1', {}));
    expect([kinds(results), state.changedPasses().length]).toEqual([['applied'], 1]);
  });
});

describe('transaction', () => {
  it('sees the pass that the batch issued before it, not after it', () => {
    expect(kinds(run(sale('m_1', 'R1'), issue('m_1'), sale('m_1', 'R1')).results)).toEqual([
      'refused',
      'applied',
      'applied',
    ]);
  });

  it('takes a unique value once, whoever brings it', () => {
    const { state, results } = run(issue('m_1'), issue('m_2'), sale('m_1', 'R1'), sale('m_1', 'R1'), sale('m_2', 'R1'));
    expect(kinds(results).slice(2)).toEqual(['applied', 'refused', 'refused']);
    expect(results[4]).toMatchObject({ message: expect.stringMatching(/Duplicate.*receipt.*R1/) as string });
    expect(state.ledger.map((entry) => entry.key)).toEqual([null, null, 'R1']);
    expect(state.newValues).toHaveLength(1);
  });

  it('takes the same value once per transaction type', () => {
    expect(kinds(run(issue('m_1'), sale('m_1', 'R1'), sale('m_1', 'R1', { type: '32' })).results)).toEqual([
      'applied',
      'applied',
      'applied',
    ]);
  });

  it('takes a value twice when uniqueness is switched off', () => {
    const { state } = run(issue('m_1'), sale('m_1', 'R1'), sale('m_1', 'R1', { enforceUnique: false }));
    expect(state.ledger.map((entry) => entry.key)).toEqual([null, 'R1', 'R1']);
    expect(state.newValues).toHaveLength(1);
  });
});

describe('reward', () => {
  it('moves the points, every time', () => {
    const { state } = run(issue('m_1', { passdata: { points: 15 } }), reward('m_1'), reward('m_1'));
    expect(state.changedPasses()).toMatchObject([{ passdata: { points: -5 } }]);
  });

  it('may leave the points alone', () => {
    const { state } = run(issue('m_1', { passdata: { points: 15 } }), reward('m_1', '9002'));
    expect(state.changedPasses()).toMatchObject([{ passdata: { points: 15 } }]);
    expect(state.ledger).toHaveLength(2);
  });

  it('is refused without a pass', () => {
    expect(run(reward('m_9')).results).toEqual([
      { kind: 'refused', message: 'No such pass: no wallet pass has unique_id m_9' },
    ]);
  });
});

it('the ledger says what happened, to whom, when and why', () => {
  const { state } = run(issue('m_1', { person: { firstName: 'Ada' } }));
  expect(state.ledger).toEqual([
    {
      seq: 1,
      operation: 'issue',
      brandId: '101',
      programId: '2001',
      uniqueId: 'm_1',
      passId: 2,
      targetId: null,
      key: null,
      requestId: 'request-1',
      arrivedAt: '2026-11-21T08:59:59.995Z',
      appliedAt: '2026-11-21T09:00:00.000Z',
      body: { person: { firstName: 'Ada' } },
    },
  ]);
});
