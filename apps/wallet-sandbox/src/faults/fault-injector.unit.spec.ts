import { type Answer, jsonAnswer } from '../http/answer.js';
import type { CallOperation } from '../http/operation.js';
import { callOf } from '../http/testing/call-of.js';
import { FaultInjector, Outstanding } from './fault-injector.js';
import { faultPlanSchema } from './fault-plan.js';
import type { Strangers } from './strangers.js';

/** Puts a plan and returns how to call: what was answered, and whether it took effect. */
function withPlan(rules: readonly object[], seed = 0) {
  const show: Strangers['show'] = async (_call, place) => jsonAnswer(201, { passId: `stranger ${place}` });
  const injector = new FaultInjector(new Outstanding(), { show });
  injector.put(faultPlanSchema.parse({ seed, rules }));
  const call = async (operation: CallOperation = 'transaction'): Promise<{ answer: Answer; effects: number }> => {
    let effects = 0;
    const answer = await injector.around(callOf({ operation, targetId: '31' }), async () => {
      effects += 1;
      return jsonAnswer(200, { transactionId: 1 });
    });
    return { answer, effects };
  };
  return { injector, call };
}

describe('fault kinds', () => {
  it.each([
    [{ kind: 'too-many', retryAfter: 3 }, 0, { status: 429, headers: { 'retry-after': '3' } }],
    [{ kind: 'error-before', status: 503 }, 0, { status: 503 }],
    [{ kind: 'error-after' }, 1, { status: 500 }],
    [{ kind: 'drop-before' }, 0, { wire: 'dropped' }],
    [{ kind: 'drop-after' }, 1, { wire: 'dropped' }],
    [{ kind: 'unauthorized' }, 0, { status: 401 }],
    [{ kind: 'garbage' }, 1, { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } }],
    [{ kind: 'empty' }, 1, { status: 200, body: '' }],
    [{ kind: 'truncated' }, 1, { status: 200, wire: 'cut' }],
    [{ kind: 'latency', ms: 1 }, 1, { status: 200, wire: 'whole' }],
  ])('%j', async (rule, effects, answer) => {
    const result = await withPlan([{ operation: 'transaction', ...rule }]).call();
    expect(result.effects).toBe(effects);
    expect(result.answer).toMatchObject(answer);
  });

  it('latency waits', async () => {
    const order: string[] = [];
    // Timers run in the order in which they are due, however late the process comes to them.
    setTimeout(() => order.push('less'), 29);
    await withPlan([{ operation: '*', kind: 'latency', ms: 30 }]).call();
    expect([...order, 'answered']).toEqual(['less', 'answered']);
  });

  it('token-down strikes the token endpoint alone, even when every operation is meant', async () => {
    const { call } = withPlan([{ operation: '*', kind: 'token-down' }]);
    expect((await call('token')).answer.status).toBe(503);
    expect((await call('lookup')).answer.status).toBe(200);
  });
});

describe('an answer that proves nothing', () => {
  const bodiesOf = async (operation: CallOperation, rule: object = {}): Promise<string[]> => {
    const bodies = new Set<string>();
    for (let wording = 0; wording < 20; wording += 1) {
      const { answer } = await withPlan([{ operation, kind: 'hollow', wording, ...rule }]).call(operation);
      expect([answer.status >= 200 && answer.status < 300, answer.wire]).toEqual([true, 'whole']);
      bodies.add(`${answer.status} ${answer.body}`);
    }
    return [...bodies];
  };

  it('is a 2xx with one of several objects', async () => {
    const bodies = await bodiesOf('transaction', { applies: false });
    expect(bodies).toHaveLength(10);
    expect(bodies).toEqual(
      expect.arrayContaining([
        '200 {}',
        '200 {"message":"Validation failed: card is blocked"}',
        '202 {"message":"Accepted"}',
        '200 {"data":{}}',
      ]),
    );
  });

  it('wraps what the call was answered with, where it was carried on', async () => {
    expect(await bodiesOf('transaction', { applies: true })).toContain('200 {"data":{"transactionId":1}}');
  });

  it('has the status that the rule gives', async () => {
    const bodies = await bodiesOf('transaction', { status: 204 });
    expect(bodies.every((body) => body.startsWith('204 '))).toBe(true);
  });

  it('is no message where a message is all the proof there is', async () => {
    const bodies = await bodiesOf('schedule-update');
    expect(bodies.length).toBeGreaterThan(5);
    expect(bodies.filter((body) => 'message' in (JSON.parse(body.slice(4)) as object))).toEqual([]);
  });
});

describe('a partner that was not asked', () => {
  const answersOf = async (kind: string): Promise<string[]> => {
    const answers = new Set<string>();
    for (let wording = 0; wording < 20; wording += 1) {
      const { answer, effects } = await withPlan([{ operation: '*', kind, wording }]).call('schedule-update');
      expect(effects).toBe(0);
      answers.add(`${answer.status} ${answer.body}`);
    }
    return [...answers];
  };

  it('is down for maintenance in one of several ways, none of which is a message', async () => {
    const answers = await answersOf('maintenance-page');
    expect(answers).toContain('200 {"status":"maintenance"}');
    expect(answers.filter((answer) => answer.includes('<html>'))).toHaveLength(1);
    expect(answers.filter((answer) => answer.includes('"message"'))).toEqual([]);
  });

  it('is busy in words that a duplicate has, too', async () => {
    const answers = await answersOf('already-busy');
    expect(answers).toHaveLength(6);
    expect(answers.filter((answer) => /already|not stored/.test(answer))).toHaveLength(6);
    expect(answers.map((answer) => answer.slice(0, 3)).sort()).toEqual(['400', '400', '409', '409', '409', '422']);
  });

  it('is never too busy to be read', async () => {
    const { answer } = await withPlan([{ operation: '*', kind: 'already-busy' }]).call('lookup');
    expect(answer.status).toBe(200);
  });
});

describe.each(['hollow', 'foreign'])('%s', (kind) => {
  async function run(rule: object, calls: number, seed = 0): Promise<[effects: number, answer: string][]> {
    const { call } = withPlan([{ operation: '*', kind, ...rule }], seed);
    const seen: [number, string][] = [];
    for (let index = 0; index < calls; index += 1) {
      const { answer, effects } = await call('reward');
      seen.push([effects, `${answer.status} ${answer.body}`]);
    }
    return seen;
  }

  it.each([
    [true, 1],
    [false, 0],
  ])('with applies %s has %i effects', async (applies, effects) => {
    const seen = await run({ applies }, 20);
    expect(seen.map(([count]) => count)).toEqual(Array(20).fill(effects));
  });

  it('takes effect or not as the seed has it, the same in every run, and answers alike', async () => {
    const seen = await run({}, 200, 7);
    expect(await run({}, 200, 7)).toEqual(seen);
    expect(await run({}, 200, 8)).not.toEqual(seen);
    const applied = seen.filter(([effects]) => effects === 1).length;
    expect(applied).toBeGreaterThan(60);
    expect(applied).toBeLessThan(140);
    expect(new Set(seen.map(([, answer]) => answer)).size).toBeGreaterThan(8);
  });

  it('leaves a broken connection broken', async () => {
    const { call } = withPlan([
      { operation: 'reward', kind, applies: true },
      { operation: 'reward', kind: 'drop-after' },
    ]);
    expect((await call('reward')).answer.wire).toBe('dropped');
  });
});

it('foreign lets a call pass that is answered without a pass', async () => {
  const { call } = withPlan([{ operation: '*', kind: 'foreign' }]);
  expect((await call('transaction')).answer.body).toBe('{"transactionId":1}');
});

describe('when a rule strikes', () => {
  async function strikes(rule: object, calls: number, seed = 0): Promise<string> {
    const { call } = withPlan([{ operation: 'transaction', kind: 'error-before', ...rule }], seed);
    let pattern = '';
    for (let index = 0; index < calls; index += 1) pattern += (await call()).effects === 0 ? 'x' : '.';
    return pattern;
  }

  it('always, without a choice', async () => {
    expect(await strikes({}, 4)).toBe('xxxx');
  });

  it('at the calls of its sequence', async () => {
    expect(await strikes({ sequence: [2, 5] }, 6)).toBe('.x..x.');
  });

  it('at most `count` times', async () => {
    expect(await strikes({ count: 2 }, 4)).toBe('xx..');
  });

  it('by chance, the same in every run of a seed and another in another', async () => {
    const run = await strikes({ probability: 0.5 }, 64, 7);
    expect(await strikes({ probability: 0.5 }, 64, 7)).toBe(run);
    expect(await strikes({ probability: 0.5 }, 64, 8)).not.toBe(run);
  });

  it('about as often as its probability says', async () => {
    const run = await strikes({ probability: 0.3 }, 2_000, 42);
    const struck = run.replaceAll('.', '').length;
    expect(struck).toBeGreaterThan(520);
    expect(struck).toBeLessThan(680);
  });

  it('not at other operations, nor do they move its counting', async () => {
    const { call, injector } = withPlan([{ operation: 'transaction', kind: 'error-before', sequence: [2] }]);
    const results = [];
    for (const operation of ['transaction', 'lookup', 'reward', 'transaction'] as const) {
      results.push((await call(operation)).effects);
    }
    expect(results).toEqual([1, 1, 1, 0]);
    expect(injector.describe().rules).toMatchObject([{ kind: 'error-before', seen: 2, struck: 1 }]);
  });
});

it('several rules that strike one call nest, the first outermost', async () => {
  const { call } = withPlan([
    { operation: 'transaction', kind: 'truncated' },
    { operation: 'transaction', kind: 'error-after', status: 502 },
  ]);
  expect(await call()).toMatchObject({ effects: 1, answer: { status: 502, wire: 'cut' } });
});
