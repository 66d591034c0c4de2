import { issueBodySchema, rewardQuerySchema } from '#contracts';
import type { IssueCommand, RewardCommand, TransactionCommand, WorkflowCommand } from '#intents/core';
import { memberCalls, planLookup } from '#members';
import { purchaseCalls } from '#purchases';
import { rewardCalls } from '#rewards';
import fc from 'fast-check';
import { InvalidRequest } from '../call/planned-request.js';
import type { Dialect } from '../dialect/dialect-schema.js';
import { parseDialect } from '../dialect/parse-dialect.js';

const planIssue = (command: IssueCommand, spoken: Dialect) => memberCalls.issue.plan(command, spoken, 0);
const planWorkflow = (command: WorkflowCommand, spoken: Dialect) =>
  memberCalls['issue-via-workflow'].plan(command, spoken, 0);
const planTransaction = (command: TransactionCommand, spoken: Dialect) =>
  purchaseCalls.transaction.plan(command, spoken, 0);
const planReward = (command: RewardCommand, spoken: Dialect) => rewardCalls.reward.plan(command, spoken, 0);

const dialect = parseDialect('test');
const reference = { brandId: '101', programId: '2001', uniqueId: 'm 1/ö?&', uniqueIdKey: 'memberId' };
const encoded = 'unique_id=m%201%2F%C3%B6%3F%26';

const issue: IssueCommand = {
  ...reference,
  operation: 'issue',
  content: {
    person: { firstName: 'Ada', birthday: '1990-02-01' },
    passdata: { points: 0, metaData: { shopify: '7741' } },
    tierId: 1,
    message: null,
    groupId: 'g-1',
    smsSubscription: 200,
    templateId: 11,
    ipAddress: '203.0.113.7',
  },
};

const transaction: TransactionCommand = {
  ...reference,
  operation: 'transaction',
  transactionTypeId: '31',
  amount: '59.99',
  transactionDate: '2026-11-21T09:15:04.000Z',
  attributes: { store: 'berlin-07' },
};

const read = (body: string | null): unknown => JSON.parse(body ?? 'null');

describe('issue (4.2)', () => {
  it('writes person, passdata with the member key, and the further properties by the dialect', () => {
    const { method, path, body } = planIssue(issue, dialect);
    expect([method, path]).toEqual(['POST', '/101/programs/2001/issue-wallet']);
    expect(read(body)).toEqual({
      person: { firstName: 'Ada', birthday: '1990-02-01' },
      passdata: { points: 0, metaData: { shopify: '7741', memberId: reference.uniqueId } },
      templateTierId: 1,
      templateId: 11,
      groupId: 'g-1',
      currentMessage: null,
      smsSubscription: 200,
      ipAddress: '203.0.113.7',
    });
    expect(issueBodySchema.safeParse(read(body)).success).toBe(true);
  });

  it('leaves out what the command leaves out, but never the member key', () => {
    const { body } = planIssue({ ...issue, content: {} }, dialect);
    expect(read(body)).toEqual({ passdata: { metaData: { memberId: reference.uniqueId } } });
  });

  it('follows other names and repeats ids where the dialect says so', () => {
    const layer = { issue: { names: { tierId: 'tier', brandId: 'brand' }, repeatIds: true } };
    const asText = read(planIssue(issue, parseDialect('test', layer)).body);
    expect(asText).toMatchObject({ tier: 1, brand: '101', programId: '2001' });
    const numbers = parseDialect('test', layer, { issue: { repeatedIdType: 'number' } });
    expect(read(planIssue({ ...issue, programId: '007' }, numbers).body)).toMatchObject({
      brand: 101,
      programId: '007',
    });
  });
});

it('a workflow (4.3) has the same body under its own path', () => {
  const command: WorkflowCommand = { ...issue, operation: 'update-via-workflow', workflowId: '78' };
  const planned = planWorkflow(command, dialect);
  expect(planned.path).toBe('/101/programs/2001/workflows/78/wallet-passes');
  expect(planned.body).toBe(planIssue(issue, dialect).body);
});

it('a lookup (4.1) asks by unique_id or by what the program says', () => {
  expect(planLookup(reference)).toEqual({ method: 'GET', path: `/101/programs/2001/wallets?${encoded}`, body: null });
  const byEmail = planLookup({ ...reference, by: { parameter: 'email', value: 'a+b@x.org' } });
  expect(byEmail.path).toBe('/101/programs/2001/wallets?email=a%2Bb%40x.org');
});

it('a reward (4.6) has no body', () => {
  const command: RewardCommand = { ...reference, operation: 'reward', rewardId: '9001' };
  const planned = planReward(command, dialect);
  expect(planned).toEqual({
    method: 'POST',
    path: `/101/programs/2001/rewards/9001/wallet-pass?${encoded}`,
    body: null,
  });
  const query = Object.fromEntries(new URL(`http://x${planned.path}`).searchParams);
  expect(rewardQuerySchema.parse(query)).toEqual({ unique_id: reference.uniqueId });
});

describe('transaction (4.7)', () => {
  it('writes the amount as it stands', () => {
    const planned = planTransaction({ ...transaction, amount: '12345678901234567890.10' }, dialect);
    expect(planned.path).toBe(`/101/programs/2001/transaction-types/31/transactions?${encoded}`);
    expect(planned.body).toBe(
      '{"amount":12345678901234567890.10,"transactionDate":"2026-11-21T09:15:04.000Z","attributes":{"store":"berlin-07"}}',
    );
  });

  it.each([
    ['iso', '2026-11-21T09:15:04.000Z'],
    ['iso-seconds', '2026-11-21T09:15:04Z'],
    ['iso-offset', '2026-11-21T09:15:04.000+00:00'],
    ['iso-local', '2026-11-21T09:15:04.000'],
    ['compact', '20261121T091504Z'],
    ['iso-till', '2026-11-21T09:15:04.000Z'],
  ])('writes the date as %s: %s', (dateFormat, date) => {
    const spoken = parseDialect('test', { transaction: { dateFormat } });
    expect(read(planTransaction(transaction, spoken).body)).toMatchObject({ transactionDate: date });
  });

  it.each([
    ['+01:00', '2026-01-01T00:30:00.000+01:00'],
    ['-09:30', '2025-12-31T14:00:00.000-09:30'],
  ])('writes the date as the till did, at %s: %s', (offset, date) => {
    const spoken = parseDialect('test', { transaction: { dateFormat: 'iso-till' } });
    const sold = { ...transaction, transactionDate: '2025-12-31T23:30:00.000Z', offset };
    expect(read(planTransaction(sold, spoken).body)).toMatchObject({ transactionDate: date });
    expect(read(planTransaction({ ...sold, transactionDate: '2025-12-31T23:30:00Z' }, spoken).body)).toMatchObject({
      transactionDate: date.replace('.000', ''),
    });
    expect(read(planTransaction(sold, dialect).body)).toMatchObject({ transactionDate: sold.transactionDate });
  });

  it('is exact for every amount of minor units', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat(3), (minor, digits) => {
        const sign = minor < 0n ? '-' : '';
        const text = (minor < 0n ? -minor : minor).toString().padStart(digits + 1, '0');
        const amount = `${sign}${text.slice(0, text.length - digits)}${digits > 0 ? `.${text.slice(-digits)}` : ''}`;
        const body = planTransaction({ ...transaction, amount }, dialect).body ?? '';
        expect(body.startsWith(`{"amount":${amount},"transactionDate":`)).toBe(true);
        expect(() => JSON.parse(body) as unknown).not.toThrow();
      }),
    );
  });

  it.each(['', '1e5', 'NaN', '1,5', '01', '.5', '5.', '+1', '1}', ' 1', '--1', '9'.repeat(41)])(
    'refuses %j',
    (amount) => {
      expect(() => planTransaction({ ...transaction, amount }, dialect)).toThrow(InvalidRequest);
    },
  );

  it('refuses a negative amount only where the dialect does', () => {
    const negative = { ...transaction, amount: '-5.00' };
    expect(planTransaction(negative, dialect).body).toContain('-5.00');
    const strict = parseDialect('test', { transaction: { negativeAmounts: false } });
    expect(() => planTransaction(negative, strict)).toThrow(InvalidRequest);
  });
});

it.each(['', '.', '..'])('an id %j that would change the path is refused', (brandId) => {
  expect(() => planIssue({ ...issue, brandId }, dialect)).toThrow(InvalidRequest);
});

describe('attributes of type number', () => {
  const numeric = parseDialect('test', {
    brandAttribute: { numbers: ['memberId', 'age', 'shopify'] },
    transactionAttribute: { numbers: ['till'] },
  });

  it('are sent as numbers, digit for digit, in the metaData, the person and a transaction', () => {
    const content = { person: { firstName: '7', age: 41 }, passdata: { metaData: { shopify: '12.50', other: '3' } } };
    const { body } = planIssue({ ...issue, uniqueId: '9007199254740993123', content }, numeric);
    expect(body).toContain('"metaData":{"shopify":12.50,"other":"3","memberId":9007199254740993123}');
    expect(body).toContain('"person":{"firstName":"7","age":41}');
    const posted = planTransaction({ ...transaction, attributes: { till: '9007199254740993', store: '4' } }, numeric);
    expect(posted.body).toContain('"attributes":{"till":9007199254740993,"store":"4"}');
  });

  it('are sent so where those of the person have a property of their own', () => {
    const dialectOfBoth = parseDialect('test', {
      brandAttribute: { numbers: ['age'] },
      person: { attributesProperty: 'attributes' },
    });
    const { body } = planIssue({ ...issue, content: { person: { firstName: 'Ada', age: '41' } } }, dialectOfBoth);
    expect(body).toContain('"person":{"firstName":"Ada","attributes":{"age":41}}');
  });

  it('may be absent or cleared', () => {
    const { body } = planIssue(
      { ...issue, uniqueId: '7', content: { passdata: { metaData: { shopify: null } } } },
      numeric,
    );
    expect(body).toBe('{"passdata":{"metaData":{"shopify":null,"memberId":7}}}');
  });

  it.each(['007', 'm_1', '1e3', '-0', '12.50', ' 7', '', '+7', '0x1', '9'.repeat(101)])(
    'are refused where they say %j',
    (uniqueId) => {
      expect(() => planIssue({ ...issue, uniqueId, content: {} }, numeric)).toThrow(InvalidRequest);
    },
  );
});
