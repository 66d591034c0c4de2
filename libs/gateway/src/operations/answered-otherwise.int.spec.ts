import type { PassContent, TransactionCommand } from '#intents/core';
import { closeStubs, startStub } from '../../test/partner-stub.js';
import { answer, answerJson, type Reply } from '../../test/scripted-server.js';

afterEach(closeStubs);

const member = { brandId: '101', programId: '2001', uniqueId: 'm_1', uniqueIdKey: 'memberId' } as const;
const options = { timeoutMs: 5_000 };

const sale: TransactionCommand = {
  ...member,
  operation: 'transaction',
  transactionTypeId: '31',
  amount: '59.99',
  transactionDate: '2026-11-21T09:15:04.600Z',
  attributes: { receipt: 'B07-118', store: 'berlin' },
  uniqueAttribute: { name: 'receipt', value: 'B07-118', enforced: true },
};
const posted = { transactionId: 5, transactionTypeId: 31, amount: 59.99, transactionDate: sale.transactionDate };

type Outcome = { readonly kind: string; readonly code?: string };
const said = ({ kind, code }: Outcome): string => (kind === 'applied' ? kind : `${kind} ${code}`);

async function posting(reply: Reply, dialect: object = {}, command = sale): Promise<string> {
  const { gateway } = await startStub(reply, dialect as Record<string, unknown>);
  return said((await gateway.partner.send(command, options)).outcome);
}

const otherwise = 'unknown answered-otherwise';

describe('a yes to a transaction that shows another one', () => {
  it.each<[string, object]>([
    ['less', { amount: 5.99 }],
    ['more', { amount: 99 }],
    ['minor units', { amount: 5999 }],
    ['nothing', { amount: 0 }],
    ['taken back', { amount: -59.99 }],
    ['as text', { amount: '5.99' }],
    ['with a comma', { amount: '5,99' }],
    ['as an object', { amount: { value: 5.99 } }],
    ['a cent', { amount: 59.98 }],
    ['a float beside it', { amount: 59.990000000000002 + 1e-13 }],
    ['another type', { transactionTypeId: 32 }],
    ['another type as text', { transactionTypeId: '32' }],
    ['another day', { transactionDate: '2026-11-28T09:15:04.600Z' }],
    ['another hour', { transactionDate: '2026-11-21T10:15:04Z' }],
    ['another zone', { transactionDate: '2026-11-21T09:15:04+01:00' }],
    ['another second', { transactionDate: '2026-11-21T09:15:06Z' }],
    ['another minute', { transactionDate: '2026-11-21T09:16Z' }],
    ['another day alone', { transactionDate: '2026-11-23' }],
    ['a time that nobody can read', { transactionDate: 'yesterday' }],
    ['the receipt of another sale', { attributes: { receipt: 'B07-117' } }],
    ['no id, and another amount', { transactionId: undefined, amount: 1 }],
    ['a denial, and another amount', { success: false, amount: 1 }],
  ])('%s', async (_what, change) => {
    expect(await posting(answerJson(200, { ...posted, ...change }))).toBe(otherwise);
    // However little the dialect asks for, and whatever the status of the success.
    expect(
      await posting(answerJson(202, { ...posted, ...change }), { success: { proof: { transaction: 'any' } } }),
    ).toBe(otherwise);
  });

  it('in digits that no float holds', async () => {
    const long = { ...sale, amount: '9007199254740993.07' };
    const body = (amount: string): Reply => answer(200, JSON.stringify(posted).replace('59.99', amount));
    expect(await posting(body('9007199254740993.07'), {}, long)).toBe('applied');
    expect(await posting(body('9007199254740993.06'), {}, long)).toBe(otherwise);
  });

  it.each<[string, object]>([
    ['as it was sent', {}],
    ['the amount with more zeros', { amount: '59.990' }],
    ['the type as text', { transactionTypeId: '31' }],
    ['to the second', { transactionDate: '2026-11-21T09:15:04Z' }],
    ['rounded to the second', { transactionDate: '2026-11-21T09:15:05Z' }],
    ['with an offset', { transactionDate: '2026-11-21T10:15:04.600+01:00' }],
    ['without a zone', { transactionDate: '2026-11-21 09:15:04.6' }],
    ['to the minute', { transactionDate: '2026-11-21T09:15Z' }],
    ['to the day', { transactionDate: '2026-11-21' }],
    ['compact', { transactionDate: '20261121T091504Z' }],
    ['its receipt, and what else it knows', { attributes: { receipt: 'b07-118', cashier: '7' } }],
    ['nothing but the id', { amount: undefined, transactionDate: undefined, transactionTypeId: undefined }],
    ['nulls', { amount: null, transactionDate: null, transactionTypeId: null, attributes: null }],
    ['points and words of its own', { points: 12, message: 'Thank you', status: 'BOOKED' }],
  ])('but not: %s', async (_what, change) => {
    expect(await posting(answerJson(200, { ...posted, ...change }))).toBe('applied');
  });

  it('where the dialect says that this partner rounds, converts or is elsewhere', async () => {
    const compare = (words: object): object => ({ success: { compare: words } });
    const rounded = answerJson(200, { ...posted, amount: 60 });
    expect(await posting(rounded, compare({ amountTolerance: 0.5 }))).toBe('applied');
    expect(await posting(rounded, compare({ amountTolerance: 0.009 }))).toBe(otherwise);
    expect(await posting(answerJson(200, { ...posted, amount: 65.2 }), compare({ ignore: ['amount'] }))).toBe(
      'applied',
    );
    const late = answerJson(200, { ...posted, transactionDate: '2026-11-21T09:15:09Z' });
    expect(await posting(late, compare({ dateToleranceSeconds: 5 }))).toBe('applied');
    expect(await posting(late, compare({ ignore: ['amount', 'transactionTypeId'] }))).toBe(otherwise);
  });
});

describe('a yes that shows another pass, or one that is not as asked', () => {
  const content: PassContent = {
    tierId: 3,
    templateId: 11,
    smsSubscription: 900,
    passdata: { optOut: true, points: 0 },
  };
  const card = {
    ...{ passId: 7, serialNumber: 's-7', templateId: 11, templateTierId: 3 },
    passdata: { optOut: true, points: 500, metaData: { memberId: 'm_1' } },
  };
  const other = (change: object): object => ({ ...card, ...change });
  const seen = (passdata: object, change: object = {}): object => ({ ...card, passdata, ...change });

  async function asked(operation: 'issue' | 'issue-via-workflow' | 'update-via-workflow', body: object, dialect = {}) {
    const { gateway } = await startStub(answerJson(200, body), dialect);
    const { partner } = gateway;
    const { outcome } =
      operation === 'issue'
        ? await partner.send({ ...member, operation, content }, options)
        : await partner.send({ ...member, operation, workflowId: '78', content, shown: { passId: '7' } }, options);
    return said(outcome);
  }

  it.each<[string, object]>([
    ['another tier', other({ templateTierId: 1 })],
    ['another tier as text', other({ templateTierId: '1' })],
    ['another template', other({ templateId: 12 })],
    ['no opt-out', seen({ optOut: false })],
    ['no opt-out, as text', seen({ optOut: 'false' })],
  ])('%s', async (_what, body) => {
    expect(await asked('issue', body)).toBe(otherwise);
    expect(await asked('update-via-workflow', body)).toBe(otherwise);
    // A workflow may have found the pass: then it is told by an update (decision 0098).
    expect(await asked('issue-via-workflow', body)).toBe('applied');
    const ignore = ['templateTierId', 'templateId', 'optOut'];
    expect(await asked('issue', body, { success: { compare: { ignore } } })).toBe('applied');
  });

  it.each<[string, object]>([
    ['as asked, with welcome points', card],
    ['numbers as text', other({ templateTierId: '3', templateId: '11' })],
    ['nothing of it', { passId: 7, passdata: null }],
    ['nulls', other({ templateTierId: null, templateId: null, passdata: { optOut: null } })],
    ['a status and a message of its own', other({ statusCode: 'INSTALLED', currentMessage: 'Welcome' })],
  ])('but not: %s', async (_what, body) => {
    expect(await asked('issue', body)).toBe('applied');
    expect(await asked('update-via-workflow', body)).toBe('applied');
  });

  it('what was asked to be cleared may be filled in by the partner', async () => {
    const { gateway } = await startStub(answerJson(200, card));
    const update = {
      ...member,
      operation: 'update-via-workflow',
      workflowId: '78',
      content: { tierId: null },
    } as const;
    expect(said((await gateway.partner.send(update, options)).outcome)).toBe('applied');
  });

  const shown = { passId: '7', serialNumber: 's-7' };
  it.each<[string, object, string]>([
    ['the known one', { passId: 7, serialNumber: 's-7' }, 'applied'],
    ['the known one by its serial number', { serialNumber: 'S-7' }, 'applied'],
    ['another known one without metaData', { passId: 8, serialNumber: 's-8' }, otherwise],
    ['another one by its serial number', { serialNumber: 's-8', passdata: { points: 5 } }, otherwise],
    ['one that was issued anew, with our id in it', { ...card, passId: 9, serialNumber: 's-9' }, 'applied'],
    ["another member's", { passId: 8, passdata: { metaData: { memberId: 'm_2' } } }, 'unknown foreign-pass'],
  ])('a reward and an update: %s', async (_what, body, expected) => {
    const { gateway } = await startStub(answerJson(200, body));
    const { partner } = gateway;
    const reward = { ...member, operation: 'reward', rewardId: '9', shown } as const;
    expect(said((await partner.send(reward, options)).outcome)).toBe(expected);
    const update = { ...member, operation: 'update-via-workflow', workflowId: '78', content: {}, shown } as const;
    expect(said((await partner.send(update, options)).outcome)).toBe(expected);
    // Where the partner has never shown a pass, nothing can be compared.
    const { shown: _known, ...unknown } = reward;
    if (expected === otherwise) expect(said((await partner.send(unknown, options)).outcome)).toBe('applied');
  });
});
