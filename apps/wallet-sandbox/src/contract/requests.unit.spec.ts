import type { z } from 'zod';
import { lookupQuerySchema, rewardQuerySchema, transactionQuerySchema } from './queries.js';
import { transactionBodySchema } from './transaction-body.js';
import { issueBodySchema, workflowBodySchema } from './wallet-pass.js';

/** `path: code` of every issue. */
function problems(schema: z.ZodType, value: unknown): string[] {
  return schema.safeParse(value).error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.code}`) ?? [];
}

describe('the issue body', () => {
  it('takes everything that the specification names', () => {
    const body = {
      person: { firstName: 'Ada', lastName: 'L', email: 'ada@example.org', phone: '+49', birthday: '1990-02-01' },
      passdata: {
        optOut: false,
        points: 0,
        seat: '1',
        row: 'B',
        section: 'C',
        gate: 'D',
        expiryDate: '2027-12-31',
        status: 'x',
        profileImage: 'https://example.org/a.png',
        metaData: { memberId: 'm_1', nested: { any: [1] } },
      },
      templateId: 11,
      templateTierId: 1,
      groupId: 'g',
      currentMessage: 'Welcome',
      smsSubscription: 900,
      ipAddress: '203.0.113.7',
    };
    expect(issueBodySchema.parse(body)).toEqual(body);
  });

  it.each([
    [{ colour: 'red' }, ': unrecognized_keys'],
    [{ passdata: { colour: 'red' } }, 'passdata: unrecognized_keys'],
    [{ passdata: { points: '5' } }, 'passdata.points: custom'],
    [{ person: { email: 5 } }, 'person.email: invalid_type'],
    [{ smsSubscription: 400 }, 'smsSubscription: invalid_union'],
    [{ templateTierId: 1.5 }, 'templateTierId: invalid_type'],
    [{ groupId: null }, 'groupId: invalid_type'],
    [[], ': invalid_type'],
  ])('refuses %j', (body, problem) => {
    expect(problems(issueBodySchema, body)).toEqual([problem]);
  });
});

describe('the workflow body', () => {
  it('may clear fields with null', () => {
    const body = { groupId: null, passdata: { seat: null, metaData: { memberId: 'm_1' } }, person: { phone: null } };
    expect(workflowBodySchema.parse(body)).toEqual(body);
  });

  it('is as strict as the issue body otherwise', () => {
    expect(problems(workflowBodySchema, { passdata: { points: '5' } })).toEqual(['passdata.points: custom']);
  });
});

describe('the transaction body', () => {
  const body = { amount: -59.99, transactionDate: '2026-11-21T09:15:04.000Z', attributes: { receipt: 'R' } };

  it('takes an amount, an ISO 8601 timestamp and attributes', () => {
    expect(transactionBodySchema.parse(body)).toEqual(body);
    expect(transactionBodySchema.parse({ ...body, transactionDate: '2026-11-21T10:15:04+01:00' })).toBeDefined();
  });

  it.each([
    [{ ...body, amount: '59.99' }, 'amount: custom'],
    [{ ...body, amount: undefined }, 'amount: custom'],
    [{ ...body, transactionDate: '2026-11-21' }, 'transactionDate: custom'],
    [{ ...body, attributes: [] }, 'attributes: invalid_type'],
    [{ ...body, currency: 'EUR' }, ': unrecognized_keys'],
  ])('refuses %j', (wrong, problem) => {
    expect(problems(transactionBodySchema, wrong)).toEqual([problem]);
  });
});

describe('queries', () => {
  it.each([
    [lookupQuerySchema, {}, ': custom'],
    [lookupQuerySchema, { unique_id: 'm_1', memberId: 'm_1' }, ': unrecognized_keys'],
    [lookupQuerySchema, { unique_id: '' }, 'unique_id: too_small'],
    [lookupQuerySchema, { unique_id: ['a', 'b'] }, 'unique_id: invalid_type'],
    [lookupQuerySchema, { unique_id: 'a\0b' }, 'unique_id: custom'],
    [transactionQuerySchema, {}, ': custom'],
    [rewardQuerySchema, { passId: 'abc' }, 'passId: invalid_format'],
  ])('%# is strict', (schema, query, problem) => {
    expect(problems(schema, query)).toEqual([problem]);
  });
});
