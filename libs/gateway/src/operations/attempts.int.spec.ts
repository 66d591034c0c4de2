import fc from 'fast-check';
import { type Clock, SystemClock } from '#platform';
import { VirtualClock } from '#test-support';
import { type AttemptCase, attemptCases, attemptDialect, type Ids, plainIds } from '../../test/attempt-cases.js';
import { closeStubs, startStub } from '../../test/partner-stub.js';
import { answer, answerJson, cutBody, type Reply, reset } from '../../test/scripted-server.js';
import type { AttemptReport } from '../port/call.js';

afterEach(closeStubs);

const options = { timeoutMs: 5_000 };

const ended = ({ outcome, stage, phase }: AttemptReport<unknown>): unknown => ({
  kind: outcome.kind,
  code: outcome.kind === 'applied' ? null : outcome.code,
  stage,
  phase,
});

async function attempt(
  { call }: AttemptCase,
  reply: Reply,
  clock: Clock = new SystemClock(),
): Promise<AttemptReport<unknown>> {
  const stub = await startStub(reply, attemptDialect, clock);
  return call(stub.gateway.partner, plainIds, options);
}

describe.each(attemptCases.map((each) => [each.section, each] as const))('%s', (_section, each) => {
  it('goes to its documented place, as documented, and its answer is read', async () => {
    const stub = await startStub(answerJson(200, { ...each.answer, unheardOf: [1] }), attemptDialect);
    const report = await each.call(stub.gateway.partner, plainIds, options);
    expect(ended(report)).toEqual({ kind: 'applied', code: null, stage: 'answer', phase: 'answered' });
    expect(report).toMatchObject({ value: { ...each.answer, unheardOf: [1] }, shapeAlarms: [] });
    const body = each.body(plainIds);
    expect(report.request).toMatchObject({ method: each.method, path: each.path(plainIds) });
    expect(JSON.parse(report.request.body ?? 'null')).toEqual(body);
    expect(stub.calls).toMatchObject([
      { method: each.method, path: `/brands${each.path(plainIds)}`, body: report.request.body ?? '' },
    ]);
    expect(stub.calls[0]?.headers['content-type']).toBe(body === null ? undefined : 'application/json');
  });

  it.each([
    ['400', answerJson(400, { message: 'no' }), { kind: 'rejected', code: 'refused', stage: 'answer' }],
    ['409', answerJson(409, { message: 'no' }), { kind: 'rejected', code: 'refused', stage: 'answer' }],
    ['422', answerJson(422, { message: 'no' }), { kind: 'rejected', code: 'refused', stage: 'answer' }],
    ['400 of another shape', answerJson(400, {}), { kind: 'rejected', code: 'refused', stage: 'answer' }],
    ['a page with 400', answer(400, '<html>'), { kind: 'not-applied', code: 'http-400', stage: 'answer' }],
    ['401 twice', answer(401, ''), { kind: 'not-applied', code: 'unauthorized', stage: 'token' }],
    ['403', answer(403, '<html>'), { kind: 'not-applied', code: 'http-403', stage: 'answer' }],
    ['404', answerJson(404, { message: 'Not Found' }), { kind: 'not-applied', code: 'http-404', stage: 'answer' }],
    ['405', answer(405, ''), { kind: 'not-applied', code: 'http-405', stage: 'answer' }],
    ['408', answerJson(408, { message: 'late' }), { kind: 'unknown', code: 'http-408', stage: 'answer' }],
    ['413', answer(413, ''), { kind: 'not-applied', code: 'http-413', stage: 'answer' }],
    ['429', answerJson(429, {}), { kind: 'not-applied', code: 'too-many-requests', stage: 'answer' }],
    ['500', answerJson(500, { message: 'oops' }), { kind: 'unknown', code: 'http-500', stage: 'answer' }],
    ['503', answer(503, ''), { kind: 'unknown', code: 'http-503', stage: 'answer' }],
    ['a redirect', answer(307, '', { location: '/x' }), { kind: 'unknown', code: 'http-307', stage: 'answer' }],
    ['an empty success', answer(200, ''), { kind: 'unknown', code: 'http-200-empty', stage: 'answer' }],
    ['a page', answer(200, '<html>'), { kind: 'unknown', code: 'http-200-not-json', stage: 'answer' }],
    ['a list', answerJson(200, []), { kind: 'unknown', code: 'http-200-other-json', stage: 'answer' }],
    ['a body cut off', cutBody, { kind: 'unknown', code: 'truncated', stage: 'exchange' }],
    ['a reset', reset, { kind: 'unknown', code: 'reset', stage: 'exchange' }],
  ] as const)('%s', async (_case, reply, expected) => {
    const report = await attempt(each, reply);
    expect(ended(report)).toEqual({ ...expected, phase: expected.stage === 'exchange' ? 'sent' : 'answered' });
    expect(report.value).toBeNull();
  });

  it('silence', async () => {
    const clock = new VirtualClock();
    const report = await attempt(each, () => void clock.advance(options.timeoutMs), clock);
    expect(ended(report)).toEqual({ kind: 'unknown', code: 'timeout', stage: 'exchange', phase: 'sent' });
  });

  it('no token', async () => {
    const stub = await startStub(answerJson(200, each.answer), attemptDialect);
    stub.token = answerJson(401, { error: 'invalid_client' });
    const report = await each.call(stub.gateway.partner, plainIds, options);
    expect(ended(report)).toEqual({ kind: 'not-applied', code: 'no-token', stage: 'token', phase: 'not-sent' });
    expect(stub.calls).toEqual([]);
  });

  it('an abort before it began, a connection that is closed', async () => {
    const stub = await startStub(answerJson(200, each.answer), attemptDialect);
    const { partner } = stub.gateway;
    await each.call(partner, plainIds, options);
    const aborted = await each.call(partner, plainIds, { ...options, signal: AbortSignal.abort() });
    const unsent = { kind: 'not-applied', stage: 'connection', phase: 'not-sent' };
    expect(ended(aborted)).toEqual({ ...unsent, code: 'aborted-before-send' });
    await stub.gateway.close();
    const late = await each.call(partner, plainIds, options);
    expect(ended(late)).toEqual({ ...unsent, code: 'connection-failed' });
    expect(stub.calls).toHaveLength(1);
  });

  it('a shape that is not the documented one raises alarms and stays applied, as long as it proves the effect', async () => {
    const shown = Object.keys(each.answer).find((name) => !['transactionId', 'message'].includes(name));
    if (shown === undefined) return;
    const report = await attempt(each, answerJson(200, { ...each.answer, [shown]: { odd: true } }));
    if (each.section.startsWith('4.7')) {
      // All that is documented of a transaction is what was asked for: in another shape it is something else.
      expect(report).toMatchObject({ outcome: { kind: 'unknown', code: 'answered-otherwise' }, value: null });
      return;
    }
    expect(report.outcome.kind).toBe('applied');
    expect(report.shapeAlarms).toEqual([shown]);
    const { [shown]: odd, ...rest } = each.answer;
    expect(report.value).toEqual(rest);
    expect(odd).toBeDefined();
  });

  it('says which ids make no request, and sends nothing', async () => {
    const stub = await startStub(answerJson(200, each.answer), attemptDialect);
    const used = (Object.keys(plainIds) as (keyof Ids)[]).filter((name) => holds(each, name));
    expect(used).toContain('brandId');
    for (const name of used) {
      for (const value of ['', '\ud800', 'x'.repeat(1_001), ...(name === 'uniqueId' ? [] : ['.', '..'])]) {
        const report = await each.call(stub.gateway.partner, { ...plainIds, [name]: value }, options);
        expect(ended(report)).toEqual({
          kind: 'rejected',
          code: 'invalid-request',
          stage: 'request',
          phase: 'not-sent',
        });
        expect(report.shapeAlarms).toEqual([expect.stringMatching(/^request\./)]);
        expect(JSON.stringify(report)).not.toContain('x'.repeat(100));
      }
    }
    expect(stub.calls).toEqual([]);
  });
});

/** Whether an id goes into the request's path. */
function holds({ path }: AttemptCase, name: keyof Ids): boolean {
  return path({ ...plainIds, [name]: 'here' }).includes('here');
}

describe('whatever the ids hold', () => {
  const id = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    fc.constantFrom(
      'a/b',
      '../x',
      '%2e%2e',
      'a?b=c',
      'a#b',
      'a&b',
      "it's",
      '\u0000',
      'ö',
      '日本',
      ' ',
      '+',
      '9007199254740993',
    ),
  );
  const ids = fc
    .record({ brandId: id, programId: id, uniqueId: id, targetId: id })
    .filter((each) => Object.values(each).every((text) => text !== '.' && text !== '..' && text.isWellFormed()));

  it('they arrive as they are, each in its place', async () => {
    const stub = await startStub(answerJson(200, {}), attemptDialect);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...attemptCases), ids, async (each, hostile) => {
        const before = stub.calls.length;
        await each.call(stub.gateway.partner, hostile, options);
        const seen = stub.calls[before];
        const encoded = Object.fromEntries(
          Object.entries(hostile).map(([name, text]) => [name, encodeURIComponent(text)]),
        ) as unknown as Ids;
        expect(seen?.path).toBe(`/brands${each.path(encoded)}`);
        expect(stub.calls).toHaveLength(before + 1);
      }),
      { numRuns: 150 },
    );
  });
});
