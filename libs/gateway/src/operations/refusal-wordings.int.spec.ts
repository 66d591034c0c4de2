import type { TransactionCommand } from '#intents/core';
import { closeStubs, startStub } from '../../test/partner-stub.js';
import { answerJson } from '../../test/scripted-server.js';

afterEach(closeStubs);

/** The transaction that is refused: its value is `B07-118`, its unique attribute `receipt`. */
const sale: TransactionCommand = {
  operation: 'transaction',
  brandId: '101',
  programId: '2001',
  uniqueId: 'm_81273',
  uniqueIdKey: 'memberId',
  transactionTypeId: '31',
  amount: '59.99',
  transactionDate: '2026-11-21T09:15:04.000Z',
  attributes: { receipt: 'B07-118', campaign: 'SUMMER', store: 'berlin' },
  uniqueAttribute: { name: 'receipt', value: 'B07-118', enforced: true },
};

async function readingOf(message: string, status = 409, dialect: Record<string, unknown> = {}): Promise<string> {
  return bodyReading({ message }, dialect, status);
}

async function bodyReading(body: object, dialect: Record<string, unknown> = {}, status = 409): Promise<string> {
  const stub = await startStub(answerJson(status, body), dialect);
  const { outcome } = await stub.gateway.partner.send(sale, { timeoutMs: 5_000 });
  return outcome.kind === 'rejected' ? outcome.code : outcome.kind;
}

/** The value is taken: each is said by some database, framework or service, or is our sandbox's. */
const duplicates = [
  'Duplicate: B07-118',
  'Duplicate value of unique attribute receipt: B07-118 already exists',
  'The value "B07-118" of receipt has already been used',
  "Bad request - receipt must be unique, 'B07-118' exists already",
  'Unfortunately your request could not be completed. The attribute receipt must be unique, but a transaction with the ' +
    'value "B07-118" has already been posted. Please correct it and send it again, or contact support.',
  '[WS-400] [VALUE_DUPLICATE] Value already exists [receipt=B07-118]',
  "Duplicate entry 'B07-118' for key 'transactions.uq_receipt'",
  'duplicate key value violates unique constraint "uq_receipt" Detail: Key (receipt)=(B07-118) already exists.',
  'E11000 duplicate key error collection: prod.transactions index: receipt_1 dup key: { receipt: "B07-118" }',
  "Violation of UNIQUE KEY constraint 'UQ_receipt'. Cannot insert duplicate key in object 'dbo.Transactions'. The " +
    'duplicate key value is (B07-118).',
  "could not execute statement; constraint [uq_receipt]; Duplicate entry 'B07-118'",
  'duplicate value found: receipt__c duplicates value on record with id: a01 (B07-118)',
  'Receipt B07-118 has already been taken',
  'A transaction with reference B07-118 already exists.',
  'Receipt B07-118 has already been recorded',
  'Transaction already posted: B07-118',
  'Transaction B07-118 was already processed on 2026-11-20T10:00:00Z',
  'This receipt number (B07-118) is already in use',
  'B07-118 is already registered',
  'receipt: B07-118 is in use',
  'Receipt #B07-118 already exists',
  'receipt "B07-118" is not unique',
  "Value B07-118 for attribute receipt isn't unique",
  "Non-unique value 'b07-118'",
  'The receipt B07-118 is existing already',
  'Receipt no. B07-118 is already existing in the system',
  'Receipt B07-118 has been already used',
  'Bon B07-118 already booked',
  'Uniqueness violation: receipt = B07-118',
  'Attribute receipt must be unique: B07-118',
  'B07-118 has been used already. Please try again with another receipt.',
  'Receipt "B07-118" already submitted, duplicates are not allowed',
  'Receipt &quot;B07-118&quot; already exists',
  'Receipt “B07-118” already exists',
  '{"receipt":"B07-118","error":"already exists"}',
  'Member m_81273 has already used receipt B07-118',
  'Card 7741: a transaction with receipt B07-118 already exists in store berlin',
  'Transaction attribute receipt must be unique: value B07-118 already exists',
  'authorized trx for merchantId M1 and orderNo B07-118 already exists',
  // The simulation's.
  'Attribute receipt must be unique: B07-118',
  'Duplicate value B07-118 for receipt',
  'B07-118 has already been used',
];

const others: readonly (readonly [about: string, ...messages: readonly string[]])[] = [
  [
    'work in progress',
    'receipt B07-118 is already being processed, try again later',
    'Receipt B07-118 is locked by another request that is already running',
    'Receipt B07-118 already in progress',
    'Duplicate request in progress for B07-118',
    'A request for B07-118 is already queued',
    'Receipt B07-118 already received, still processing',
    'Receipt B07-118 already exists in the queue and is pending',
    'Concurrent update: receipt B07-118 already used by another session, rolled back',
    'Kindly retry, B07-118 already under process',
    'The operation B07-118 is already registered, in course of treatment',
    'Receipt B07-118 already exists as a draft; it will be posted tonight',
    'Too many requests: B07-118 already submitted 3 times this minute',
    'Timeout while checking whether B07-118 already exists',
  ],
  [
    'nothing was stored',
    'Conflict: the card is being changed; receipt B07-118 was not stored',
    'Receipt B07-118 not saved: duplicate check timed out',
    'Receipt B07-118 could not be stored because the duplicate check is unavailable',
    'Duplicate check failed for B07-118',
    'Receipt B07-118 already exists in another program and was not posted here',
    'Receipt B07-118 can be not stored, card is already used',
    'Nothing was booked for B07-118: already used card',
  ],
  [
    'something else',
    'Attribute receipt is fine, but the card has already expired',
    'Receipt B07-118 refused: the program has already ended',
    'Receipt B07-118: the coupon SUMMER has already been used',
    'Receipt B07-118 rejected, the card was already used today',
    'Receipt B07-118: reward already issued',
    'Receipt B07-118: email is already in use',
    'campaign must be unique (receipt B07-118)',
    'campaign SUMMER already exists (receipt B07-118)',
    'Receipt B07-118: duplicate property "store"',
    'Receipt B07-118 was already refunded',
    'An earlier attempt to post B07-118 already failed',
    'Receipt B07-118 conflicts with the current state of the card',
    'Conflict: B07-118',
    'B07-118 is in use as a test number',
    'The value B07-118 is taken from the wrong store',
    'Receipt B07-118 is invalid',
  ],
  [
    'what became of it',
    'Transaction attribute receipt must be unique: value B07-118 already exists (transaction 991, status DECLINED)',
    "Receipt 'B07-118' already exists but was rejected",
    "Receipt 'B07-118' has already been processed with result FAILED",
    "Receipt 'B07-118' has already been submitted and failed validation",
    "Receipt 'B07-118' already used by a voided transaction",
    "Receipt 'B07-118' already used in a cancelled transaction",
    "Duplicate request 'B07-118': the previous request ended with error 500",
    "Receipt 'B07-118' already received; awaiting approval",
    "Receipt 'B07-118' already exists in the archive of deleted transactions",
    'Declined receipt B07-118 already exists',
    'Receipt B07-118 already exists. It was reversed.',
    'Receipt B07-118 already exists (expired)',
    'Receipt B07-118 already exists?! ❌',
    '[DECLINED] Value already exists [receipt=B07-118]',
    "Duplicate entry 'B07-118' for key FAILED",
    'Card blocked: a transaction with receipt B07-118 already exists',
    'B07-118 B07-118 already exists',
    'Receipt B07-118 already exists. Receipt B07-118 was deleted',
    `Receipt B07-118 already exists${'.'.repeat(2_000)}DECLINED`,
    'Beleg B07-118 existiert bereits (storniert)',
  ],
  [
    'a denial',
    'Receipt B07-118 does not already exist',
    'Receipt B07-118 is not a duplicate, but the amount is invalid',
    'No duplicate found for B07-118; the store is unknown',
  ],
  [
    'another value',
    'Receipt B07-1180 already exists',
    'Receipt XB07-118 already exists',
    'Receipt B07-118-2 already exists',
    'Receipt 2026/B07-118 already exists',
    'B07-118.5 is a duplicate',
    "Duplicate entry 'berlin-B07-118' for key 'uq_store_receipt'",
    'Receipt ***B07-118 already exists',
  ],
];

/** They name the attribute, and may mean any value of it. */
const nameOnly = [
  'Duplicate receipt',
  'receipt must be unique',
  'The receipt has already been taken.',
  'Transaction with this Receipt already exists.',
  'UNIQUE constraint failed: transactions.receipt',
  'ORA-00001: unique constraint (SHOP.UQ.RECEIPT) violated',
];

describe('a refused transaction: whether its value is taken', () => {
  it.each(duplicates)('duplicate: %s', async (message) => {
    expect(await readingOf(message)).toBe('duplicate');
  });

  it.each(others.flatMap(([about, ...messages]) => messages.map((message) => [about, message] as const)))(
    '%s: %s',
    async (_about, message) => {
      expect(await readingOf(message)).toBe('refused');
    },
  );

  it.each(nameOnly)(
    'the name alone is enough only where the dialect says so in whole sentences: %s',
    async (message) => {
      expect(await readingOf(message)).toBe('refused');
      const templates = [message.replace(/\breceipt\b(?=[ .]|$)(?<!\.receipt)/i, '<name>')];
      expect(await readingOf(message, 400, { duplicate: { templates } })).toBe('duplicate');
      expect(await readingOf(`${message} (voided)`, 400, { duplicate: { templates } })).toBe('refused');
    },
  );

  it('is read alike with 400, 409 and 422', async () => {
    for (const status of [400, 409, 422]) {
      expect(await readingOf(duplicates[0]!, status)).toBe('duplicate');
      expect(await readingOf(others[0]![1]!, status)).toBe('refused');
    }
  });

  it('the dialect has the sentences of this partner instead of ours', async () => {
    const duplicate = { templates: ['Beleg <value> (ist|war) doppelt (siehe <id>|)'] };
    expect(await readingOf('Beleg B07-118 ist doppelt.', 409, { duplicate })).toBe('duplicate');
    expect(await readingOf('BELEG "B07-118" war doppelt, siehe V-12', 409, { duplicate })).toBe('duplicate');
    expect(await readingOf('Beleg B07-118 ist doppelt, siehe Storno', 409, { duplicate })).toBe('refused');
    expect(await readingOf('Beleg B07-118 ist doppelt storniert', 409, { duplicate })).toBe('refused');
    expect(await readingOf(duplicates[0]!, 409, { duplicate })).toBe('refused');
  });

  it.each<[string, object]>([
    ['nothing', {}],
    ['the status and its phrase', { statusCode: 409, status: '409', error: 'Conflict' }],
    ['a code that names it', { code: 'DUPLICATE_VALUE', error: { type: 'unique-violation' }, success: false }],
    ['the same again', { errors: [{ message: duplicates[0] }], detail: duplicates[0], receipt: 'B07-118' }],
    ['what is about the request', { timestamp: '2026-11-21T09:15:04Z', path: '/x', requestId: 'r-1', data: null }],
  ])('in a body that has besides: %s', async (_what, beside) => {
    expect(await bodyReading({ message: duplicates[0], ...beside })).toBe('duplicate');
  });

  it.each<[string, object]>([
    ['a status', { status: 'DECLINED' }],
    ['a state deep in it', { transaction: { meta: [{ state: 'voided' }] } }],
    ['deeper than is looked', { a: { b: { c: { d: { e: { f: 'DECLINED' } } } } } }],
    ['the id of whose it is', { transactionId: 991 }],
    ['another sentence', { errors: [{ message: 'it was declined' }] }],
    ['a code of another kind', { code: 'ORDER_DECLINED' }],
    ['an error in words', { error: 'Transaction declined' }],
    ['another status of HTTP', { status: 500 }],
    ['what it was', { duplicate: true, retryable: false }],
  ])('but not in one that says more, even where we do not know of what: %s', async (_what, beside) => {
    expect(await bodyReading({ message: duplicates[0], ...beside })).toBe('refused');
    const names = Object.keys(beside);
    const isFlat = Object.values(beside).every((value) => typeof value !== 'object');
    if (isFlat) {
      expect(await bodyReading({ message: duplicates[0], ...beside }, { duplicate: { beside: names } })).toBe(
        'duplicate',
      );
    }
  });

  it('the table is wide, and half of it are no duplicates', () => {
    const notDuplicates = others.reduce((count, [, ...messages]) => count + messages.length, nameOnly.length);
    expect([duplicates.length >= 30, notDuplicates >= 30]).toEqual([true, true]);
  });
});

describe('a refused update or reward', () => {
  const member = { brandId: '101', programId: '2001', uniqueId: 'm_81273', uniqueIdKey: 'memberId' };
  const content = { person: { email: 'ada@example.org' } };

  it.each([
    'member m_81273 already exists',
    'email ada@example.org is already in use by another person',
    'A wallet pass with memberId m_81273 has already been issued',
  ])('is no duplicate, for it would not be done by what is there: %s', async (message) => {
    const stub = await startStub(answerJson(409, { message }));
    const { partner } = stub.gateway;
    const options = { timeoutMs: 5_000 };
    const update = { ...member, operation: 'update-via-workflow', workflowId: '78', content } as const;
    expect((await partner.send(update, options)).outcome).toMatchObject({ code: 'refused' });
    expect((await partner.send({ ...update, operation: 'issue-via-workflow' }, options)).outcome).toMatchObject({
      code: 'duplicate',
    });
    const reward = { ...member, operation: 'reward', rewardId: '9001' } as const;
    expect((await partner.send(reward, options)).outcome).toMatchObject({ code: 'refused' });
  });
});
