import fc from 'fast-check';
import { attemptCases, attemptDialect, plainIds } from '../../test/attempt-cases.js';
import { closeStubs, startStub } from '../../test/partner-stub.js';
import { answer } from '../../test/scripted-server.js';

afterEach(closeStubs);

const options = { timeoutMs: 5_000 };
const member = { brandId: '101', programId: '2001', uniqueId: 'm_81273', uniqueIdKey: 'memberId' };

/** Names that no answer of partner-api.md has. */
const unheardOf = fc.string({ minLength: 1, maxLength: 8 }).map((text) => `x ${text}`);

describe('whatever else is answered', () => {
  it('unknown fields are kept as they are, beside the documented ones', async () => {
    const stub = await startStub(answer(200, '{}'), attemptDialect);
    const extra = fc.dictionary(unheardOf, fc.jsonValue({ maxDepth: 3 }));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...attemptCases), extra, async (each, fields) => {
        const text = JSON.stringify({ ...fields, ...each.answer });
        fc.pre(!/\d[\d.]{15}/.test(text));
        stub.call = answer(200, text);
        const report = await each.call(stub.gateway.partner, plainIds, options);
        expect(report).toMatchObject({ outcome: { kind: 'applied' }, shapeAlarms: [] });
        expect(report.value).toEqual(JSON.parse(text));
      }),
      { numRuns: 200 },
    );
  });

  it('ids beyond 2^53 come through exactly, and are no alarm', async () => {
    const stub = await startStub(answer(200, '{}'), attemptDialect);
    const ids =
      /^(?:passId|templateId|transactionId|transactionTypeId|transactionAttributeId|brandAttributeId|brandId)$/;
    const id = fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...attemptCases), id, async (each, large) => {
        const fields = Object.entries(each.answer).map(
          ([name, value]) => `${JSON.stringify(name)}:${ids.test(name) ? large.toString() : JSON.stringify(value)}`,
        );
        stub.call = answer(200, `{${fields.join(',')}}`);
        // A transaction is answered with the type that it was posted under.
        const asked = { ...plainIds, targetId: large.toString() };
        const report = await each.call(stub.gateway.partner, asked, options);
        expect(report.shapeAlarms).toEqual([]);
        const named = Object.entries(report.value ?? {}).filter(([name]) => ids.test(name));
        expect(named.map(([, value]) => String(value))).toEqual(named.map(() => large.toString()));
        expect(named.length > 0 || each.answer['message'] !== undefined).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('amounts come through exactly', async () => {
    const stub = await startStub(answer(200, '{}'));
    const transactionDate = '2026-11-21T09:15:04.000Z';
    const sale = {
      ...member,
      operation: 'transaction',
      transactionTypeId: '31',
      transactionDate,
      attributes: {},
    } as const;
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n }), async (minor) => {
        const digits = (minor < 0n ? -minor : minor).toString().padStart(3, '0');
        const amount = `${minor < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
        const rest = `"transactionId":1,"transactionTypeId":31,"transactionDate":"${transactionDate}"`;
        stub.call = answer(200, `{"amount":${amount},${rest}}`);
        const report = await stub.gateway.partner.send({ ...sale, amount }, options);
        const { amount: read } = report.value as { amount: number | string };
        expect(report.shapeAlarms).toEqual([]);
        if (typeof read === 'string') expect(read).toBe(amount);
        else expect(BigInt(Math.round(read * 100)) === minor || read.toFixed(2) === amount).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('what answers there may be, no call rejects', async () => {
    const stub = await startStub(answer(200, '{}'), attemptDialect);
    const status = fc.integer({ min: 200, max: 599 });
    const body = fc.oneof(fc.json(), fc.string(), fc.constant(''));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...attemptCases), status, body, async (each, code, text) => {
        fc.pre(code !== 204 && code !== 304);
        stub.call = answer(code, text);
        const report = await each.call(stub.gateway.partner, plainIds, options);
        expect(['applied', 'rejected', 'not-applied', 'unknown']).toContain(report.outcome.kind);
        expect(report.outcome.kind === 'applied').toBe(report.value !== null);
        stub.call = answer(code, text);
        const count = await stub.gateway.partner.countPasses({ brandId: '101', programId: '2001' }, options);
        const found = await stub.gateway.partner.findPass({ ...plainIds, uniqueIdKey: 'memberId' }, options);
        expect([count.kind, found.kind]).not.toContain(undefined);
      }),
      { numRuns: 200 },
    );
  });
});
