import { isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';

import { parseProgramsFile, PROGRAMS_FILE_EXAMPLE, type ProgramsFile } from '#contracts';
import { sampleEvent, routeSourceEvent } from '#events';

import { joinParts } from '#events/core';
import type { PartnerCommand } from '#intents/core';
import { isSoldFor, nobody } from '#intents/core';

const completed = 'loyalty.purchase.completed.v1';
const refunded = 'loyalty.purchase.refunded.v1';
const voided = 'loyalty.purchase.voided.v1';
const reference = { brandId: '101', programId: '2001', uniqueId: 'm_81273', uniqueIdKey: 'memberId' };

/** The example file, lines exchanged. */
function programs(...exchanges: readonly [string | RegExp, string][]): ProgramsFile {
  const text = exchanges.reduce((file, [from, to]) => file.replace(from, to), PROGRAMS_FILE_EXAMPLE);
  const parsed = parseProgramsFile(text);
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return parsed.value;
}

const given = programs();
/** Receipts begin anew in each store. */
const ofStores: [string, string][] = [
  ['purchaseKey: [purchaseId]', 'purchaseKey: [storeId, purchaseId]'],
  ['receipt: purchaseId', 'receipt: { join: [storeId, purchaseId] }'],
  ['receipt: refundId', 'receipt: { join: [storeId, refundId] }'],
];
const quarantined = (reason: string, detail: string): object => ({
  kind: 'quarantine',
  reason,
  detail: expect.stringContaining(detail) as string,
});

describe('a receipt that does not count', () => {
  const saying = [
    { attributes: { training: true } },
    { attributes: { training: 'true' } },
    { attributes: { kind: 'gift-card' } },
    { attributes: { kind: 'staff', training: null } },
  ];
  it.each(saying.flatMap((data) => ([completed, refunded, voided] as const).map((name) => [name, data] as const)))(
    'asks for nothing: %s with %j',
    (name, data) => {
      expect(routeSourceEvent(sampleEvent(name, { data }), given)).toEqual({
        kind: 'ignored',
        reason: 'does-not-count',
      });
    },
  );

  it.each([{ attributes: { training: false } }, { attributes: { kind: ['staff'] } }, { kind: 'staff' }, {}])(
    'is no other one: %j',
    (data) => {
      expect(routeSourceEvent(sampleEvent(completed, { data }), given).kind).toBe('routed');
    },
  );
});

describe('a completed purchase', () => {
  it('is a transaction', () => {
    expect(routeSourceEvent(sampleEvent(completed), given)).toEqual({
      kind: 'routed',
      cancels: [],
      intents: [
        {
          program: 'coffee-club',
          memberId: 'm_81273',
          operation: 'transaction',
          command: {
            ...reference,
            operation: 'transaction',
            transactionTypeId: '31',
            amount: '59.99',
            transactionDate: '2026-11-21T09:15:04.000Z',
            offset: '+01:00',
            attributes: { store: 'berlin-07', receipt: 'B07-118834', campaign: 'autumn', system: 'pos' },
            uniqueAttribute: { name: 'receipt', value: 'B07-118834', enforced: true },
          },
          businessKey: { scope: 'purchase', parts: ['B07-118834'], perGeneration: false },
          businessContent: expect.stringContaining('"purchaseId":"B07-118834"') as string,
          waitsFor: null,
          parked: null,
          facts: { storeId: 'berlin-07', purchaseId: 'B07-118834', amount: '59.99', currency: 'EUR' },
          total: '59.99 EUR',
        },
      ],
    });
  });

  it.each([{ memberId: undefined }, { memberId: null }, { memberId: '' }])(
    "without a member (%j) is ignored, and remembered as nobody's",
    (data) => {
      const event = sampleEvent(completed, { data });
      const receipt = {
        ...{ program: 'coffee-club', amount: '59.99', days: 100, soldAt: event.timeMs },
        key: { scope: 'purchase', parts: ['B07-118834'], perGeneration: false },
      };
      expect(routeSourceEvent(event, given)).toEqual({ kind: 'ignored', reason: 'no-member', receipt });
      const off = programs(['refundUnknown: park', 'refundUnknown: park\n    anonymousReceiptDays: 0']);
      expect(routeSourceEvent(event, off)).toEqual({ kind: 'ignored', reason: 'no-member' });
    },
  );

  it.each([{ memberId: undefined }, { memberId: null }, { memberId: '' }])(
    'without a member (%j) is voided by its key all the same',
    (data) => {
      const target = { scope: 'purchase', parts: ['B07-118834'], perGeneration: false };
      const cancel = { memberId: nobody, target, reason: 'voided', total: '59.99 EUR' };
      const event = sampleEvent(voided, { data });
      expect(routeSourceEvent(event, given)).toMatchObject({ kind: 'routed', intents: [], cancels: [cancel] });
      const ofMembers = programs(
        ['purchaseKey: [purchaseId]', 'purchaseKey: [purchaseId, memberId]'],
        ['receipt: purchaseId', 'receipt: { join: [purchaseId, memberId] }'],
        ['receipt: refundId', 'receipt: { join: [refundId, memberId] }'],
      );
      expect(routeSourceEvent(event, ofMembers)).toEqual({ kind: 'ignored', reason: 'no-member' });
    },
  );

  it('leaves out an attribute whose source is absent, null or empty', () => {
    for (const data of [{ storeId: undefined }, { storeId: null }, { storeId: '' }]) {
      const route = routeSourceEvent(sampleEvent(completed, { data: { ...data, attributes: {} } }), given);
      expect(route).toMatchObject({ intents: [{ facts: { purchaseId: 'B07-118834' } }] });
      const intent = route.kind === 'routed' ? route.intents[0] : undefined;
      expect(intent?.command).toMatchObject({ attributes: { receipt: 'B07-118834', system: 'pos' } });
      expect(JSON.stringify(intent?.command)).not.toContain('store');
      expect(intent?.facts).not.toHaveProperty('storeId');
    }
  });

  it('is invalid when a required source is absent, or no scalar', () => {
    const strict = programs(['store: storeId', 'store: { from: storeId, required: true }']);
    const without = sampleEvent(completed, { data: { storeId: null } });
    expect(routeSourceEvent(without, strict)).toMatchObject(quarantined('invalid', 'data.storeId: required by store'));
    const unique = programs(['receipt: purchaseId', 'receipt: { join: [purchaseId, attributes.receiptNo] }']);
    expect(routeSourceEvent(sampleEvent(completed), unique)).toMatchObject(
      quarantined('invalid', 'data.attributes.receiptNo: required by receipt'),
    );
    const nested = sampleEvent(completed, { data: { attributes: { campaign: { name: 'autumn' } } } });
    expect(routeSourceEvent(nested, given)).toMatchObject(quarantined('invalid', 'data.attributes.campaign: must be'));
  });

  it.each([
    ['2026-01-01T00:30:00+01:00', '+01:00', ['2026-01-01', '00:30:00', '2026-01-01T00:30:00']],
    ['2025-12-31T18:30:00.250-05:00', '-05:00', ['2025-12-31', '18:30:00', '2025-12-31T18:30:00']],
    ['2025-12-31t23:30:00z', undefined, ['2025-12-31', '23:30:00', '2025-12-31T23:30:00']],
    ['2025-12-31T23:30:00-00:00', undefined, ['2025-12-31', '23:30:00', '2025-12-31T23:30:00']],
  ])('keeps the time of the till: %s', (time, offset, [day, clock, both]) => {
    const local = programs([
      'store: storeId',
      'day: { local: date }, clock: { local: time }, both: { local: dateTime }',
    ]);
    const route = routeSourceEvent(sampleEvent(completed, { frame: { time, timeMs: Date.parse(time) } }), local);
    const command = route.kind === 'routed' ? route.intents[0]?.command : null;
    expect(command).toMatchObject({ attributes: { day, clock, both } });
    expect(command && 'offset' in command ? command.offset : undefined).toBe(offset);
  });

  it('keeps the type of a mapped value, and gives a joined one as text', () => {
    const numbered = programs(
      ['store: storeId', 'store: attributes.receiptNo'],
      ['receipt: purchaseId', 'receipt: { join: [purchaseId, attributes.receiptNo], with: "/" }'],
    );
    const event = sampleEvent(completed, { data: { attributes: { receiptNo: 7, campaign: true } } });
    expect(routeSourceEvent(event, numbered)).toMatchObject({
      intents: [
        {
          command: {
            attributes: { store: 7, receipt: 'B07-118834/7', campaign: true },
            uniqueAttribute: { name: 'receipt', value: 'B07-118834/7', enforced: true },
          },
        },
      ],
    });
  });

  it('does not read inherited properties as attributes', () => {
    const odd = programs(['campaign: attributes.campaign', 'campaign: attributes.constructor.name']);
    const route = routeSourceEvent(sampleEvent(completed), odd);
    const intent = route.kind === 'routed' ? route.intents[0] : undefined;
    expect(intent?.command).toMatchObject({ attributes: { receipt: 'B07-118834' } });
    expect(JSON.stringify(intent?.command)).not.toContain('campaign');
  });

  it.each([
    [{ total: { minor: 100, currency: 'USD' } }, 'data.total.currency'],
    [{ total: { minor: 100, currency: 'XYZ' } }, 'data.total.currency'],
  ])('in another currency (%j) is unroutable', (data, detail) => {
    expect(routeSourceEvent(sampleEvent(completed, { data }), given)).toMatchObject(quarantined('unroutable', detail));
  });

  it('keeps its number where it cannot be taken in, and that can be read', () => {
    const data = { total: { minor: 100, currency: 'USD' } };
    const numberOf = (name: typeof completed | typeof refunded): unknown =>
      (routeSourceEvent(sampleEvent(name, { data }), given) as { number?: unknown }).number;
    const [sale, refund] = [numberOf(completed), numberOf(refunded)];
    expect(sale).toMatchObject({ program: 'coffee-club', key: { scope: 'purchase', parts: ['B07-118834'] } });
    expect(refund).toMatchObject({ program: 'coffee-club', key: { scope: 'refund' } });
    const perStore = programs(...ofStores);
    const event = sampleEvent(completed, { data: { ...data, storeId: null } });
    expect(routeSourceEvent(event, perStore)).not.toHaveProperty('number');
  });

  it('is unroutable where not configured, ignored where switched off', () => {
    const without = programs([/ {6}completed:.*\n/, '']);
    expect(routeSourceEvent(sampleEvent(completed), without)).toMatchObject(
      quarantined('unroutable', 'purchases.completed: not configured'),
    );
    const off = programs([/completed:.*/, 'completed: { via: none }']);
    expect(routeSourceEvent(sampleEvent(completed), off)).toEqual({ kind: 'ignored', reason: 'not-mapped' });
  });

  it.each([
    ['EUR', 0, 'EUR has 2'],
    ['EUR', 3, 'EUR has 2'],
    ['JPY', 2, 'JPY has 0'],
    ['KWD', 2, 'KWD has 3'],
  ])('of %s with %d digits is invalid: nobody knows which price is meant', (currency, digits, detail) => {
    const inCurrency = programs(['currency: EUR', `currency: ${currency}`]);
    for (const name of [completed, refunded] as const) {
      const event = sampleEvent(name, { data: { total: { minor: 5999, currency, digits } } });
      expect(routeSourceEvent(event, inCurrency)).toMatchObject(quarantined('invalid', `data.total.digits: ${detail}`));
    }
  });

  it.each([
    [3, '5.999'],
    [2, '59.99'],
    [null, '59.99'],
  ])('may have %j digits where the program declares 3', (digits, amount) => {
    const declared = programs(['currency: EUR', 'currency: EUR\n    currencyDigits: 3']);
    const event = sampleEvent(completed, { data: { total: { minor: 5999, currency: 'EUR', digits } } });
    expect(routeSourceEvent(event, declared)).toMatchObject({ intents: [{ command: { amount } }] });
  });

  const joined = (separator: string): [RegExp, string] => [
    /receipt: purchaseId/,
    `receipt: { join: [storeId, purchaseId, attributes.till], with: "${separator}" }`,
  ];
  const wideKey: [string, string] = [
    'purchaseKey: [purchaseId]',
    'purchaseKey: [storeId, purchaseId, attributes.till]',
  ];
  const wideRefund: [RegExp, string] = [/receipt: refundId/, 'receipt: { join: [storeId, refundId, attributes.till] }'];

  it.each([
    ['-', 'berlin%2D07-B07%2D118834-3'],
    ['/', 'berlin-07/B07-118834/3'],
    ['|', 'berlin-07|B07-118834|3'],
  ])('is told from those of other stores by a receipt joined with %s', (separator, receipt) => {
    const event = sampleEvent(completed, { data: { attributes: { till: 3 } } });
    expect(routeSourceEvent(event, programs(wideKey, joined(separator), wideRefund))).toMatchObject({
      intents: [{ command: { attributes: { receipt }, uniqueAttribute: { name: 'receipt', value: receipt } } }],
    });
  });

  it('never shares a joined receipt with another one', () => {
    const part = fc.string({ minLength: 1, unit: fc.constantFrom('a', '1', '-', '%', '2', 'D') });
    const parts = fc.tuple(part, part, part);
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        expect(joinParts(one, '-') === joinParts(other, '-')).toBe(isDeepStrictEqual(one, other));
      }),
    );
  });

  it('has a key as wide as the program says', () => {
    const wide = programs(wideKey, joined('-'), wideRefund);
    const event = sampleEvent(completed, { data: { attributes: { till: 3 } } });
    expect(routeSourceEvent(event, wide)).toMatchObject({
      intents: [{ businessKey: { scope: 'purchase', parts: ['berlin-07', 'B07-118834', '3'] } }],
    });
    expect(routeSourceEvent(sampleEvent(completed, { data: { storeId: null } }), wide)).toMatchObject(
      quarantined('invalid', 'data.storeId: required by purchaseKey'),
    );
    const unseen = sampleEvent(completed, { data: { attributes: { till: '3\u200d' } } });
    expect(routeSourceEvent(unseen, wide)).toMatchObject(
      quarantined('invalid', 'data.attributes.till: has U+200D, which cannot be seen'),
    );
  });
});

describe('a refund', () => {
  it('is a negative transaction that waits for its purchase', () => {
    const route = routeSourceEvent(sampleEvent(refunded), given);
    expect(route).toMatchObject({
      kind: 'routed',
      intents: [
        {
          command: {
            transactionTypeId: '32',
            amount: '-50.41',
            attributes: { receipt: 'R-5512', of: 'B07-118834' },
            uniqueAttribute: { name: 'receipt', value: 'R-5512' },
          },
          businessKey: { scope: 'refund', parts: ['R-5512'] },
          waitsFor: { scope: 'purchase', parts: ['B07-118834'] },
          facts: { purchaseId: 'B07-118834', amount: '50.41' },
        },
      ],
    });
  });

  it('of nothing has no sign', () => {
    const event = sampleEvent(refunded, { data: { total: { minor: 0, currency: 'EUR' } } });
    expect(routeSourceEvent(event, given)).toMatchObject({ intents: [{ command: { amount: '0.00' } }] });
  });

  it('waits for the key the purchase had', () => {
    const wide = programs(...ofStores);
    const purchase = routeSourceEvent(sampleEvent(completed), wide);
    const key = purchase.kind === 'routed' ? purchase.intents[0]?.businessKey : undefined;
    expect(routeSourceEvent(sampleEvent(refunded), wide)).toMatchObject({
      intents: [{ waitsFor: key, businessKey: { parts: ['berlin-07', 'R-5512'] } }],
    });
  });
});

describe('a void', () => {
  const unmapped = programs([/voided:.*/, 'voided: { via: none }']);
  const target = { scope: 'purchase', parts: ['B07-118834'], perGeneration: false };

  it('cancels its purchase, and stands in a list with its amount when that is too late', () => {
    expect(routeSourceEvent(sampleEvent(voided), unmapped)).toMatchObject({
      kind: 'routed',
      intents: [],
      cancels: [
        ...[
          {
            program: 'coffee-club',
            memberId: 'm_81273',
            target,
            reason: 'voided',
            ifTooLate: {
              command: null,
              parked: { reason: 'unroutable' },
              facts: { amount: '59.99', currency: 'EUR', purchaseId: 'B07-118834' },
              waitsFor: target,
            },
            total: '59.99 EUR',
          },
        ],
      ],
    });
  });

  it('becomes a transaction of its own where mapped and too late', () => {
    const mapped = programs([/voided:.*/, 'voided: { transactionTypeId: "33", attributes: { of: purchaseId } }']);
    expect(routeSourceEvent(sampleEvent(voided), mapped)).toMatchObject({
      intents: [],
      cancels: [
        {
          target,
          ifTooLate: {
            command: { transactionTypeId: '33', amount: '-59.99', attributes: { of: 'B07-118834' } },
            businessKey: { scope: 'void', parts: ['B07-118834'] },
            waitsFor: target,
          },
        },
      ],
    });
    expect(routeSourceEvent(sampleEvent(voided, { data: { total: null } }), mapped)).toMatchObject(
      quarantined('invalid', 'data.total: required'),
    );
  });

  it('names no total where it carries none', () => {
    const route = routeSourceEvent(sampleEvent(voided, { data: { total: null } }), unmapped);
    expect(route.kind === 'routed' ? route.cancels[0] : null).not.toHaveProperty('total');
  });

  it('means the refund that it names, and gives that back where it comes too late', () => {
    const event = sampleEvent(voided, { data: { purchaseId: 'V-9', original: { refundId: 'R-5512' } } });
    const refund = { scope: 'refund', parts: ['R-5512'], perGeneration: false };
    const late = { businessKey: { scope: 'refund-void', parts: ['R-5512'] }, waitsFor: refund, awaitsUnknown: true };
    const given34 = programs([/refundVoided:.*/, 'refundVoided: { transactionTypeId: "34" }']);
    expect(routeSourceEvent(event, given34)).toMatchObject({
      intents: [],
      cancels: [
        {
          target: refund,
          reason: 'voided',
          total: '59.99 EUR',
          ifTooLate: { ...late, command: { transactionTypeId: '34', amount: '59.99' } },
        },
      ],
    });
    const none = programs([/refundVoided:.*/, '']);
    expect(routeSourceEvent(event, none)).toMatchObject({
      cancels: [
        { ifTooLate: { ...late, command: null, parked: { reason: 'unroutable' }, facts: { amount: '59.99' } } },
      ],
    });
  });

  it('is invalid without what the key needs', () => {
    const wide = programs(...ofStores);
    expect(routeSourceEvent(sampleEvent(voided, { data: { storeId: '' } }), wide)).toMatchObject(
      quarantined('invalid', 'data.storeId: required by purchaseKey'),
    );
  });
});

describe('what a void says was paid', () => {
  it.each([
    ['60.00', '60.00', true],
    ['60', '60.00', true],
    ['60.0', '60.00', true],
    ['-60.5', '60.50', true],
    ['600', '60.00', false],
    ['60.01', '60.00', false],
  ])('is held against %s: %s', (amount, total, isSame) => {
    const command = { operation: 'transaction', amount } as PartnerCommand;
    expect(isSoldFor(`${total} EUR`, command, 'EUR')).toBe(isSame);
    expect(isSoldFor(`${total} USD`, command, 'EUR')).toBe(false);
  });
});

describe('a return in another shop', () => {
  const wide = programs(...ofStores);
  const mapped = programs(...ofStores, [/voided:.*/, 'voided: { transactionTypeId: "33" }']);
  const original = { storeId: 'berlin-07', purchaseId: 'B07-118834' };
  const elsewhere = { storeId: 'hamburg-01', purchaseId: 'H01-7' };
  const purchase = { scope: 'purchase', parts: ['berlin-07', 'B07-118834'], perGeneration: false };

  it('names the purchase that is refunded, and keeps a key of its own', () => {
    expect(routeSourceEvent(sampleEvent(refunded, { data: { ...elsewhere, original } }), wide)).toMatchObject({
      intents: [{ waitsFor: purchase, businessKey: { scope: 'refund', parts: ['hamburg-01', 'R-5512'] } }],
    });
  });

  it('names the purchase that is voided', () => {
    expect(routeSourceEvent(sampleEvent(voided, { data: { ...elsewhere, original } }), mapped)).toMatchObject({
      cancels: [
        { target: purchase, ifTooLate: { waitsFor: purchase, businessKey: { scope: 'void', parts: purchase.parts } } },
      ],
    });
  });

  it.each<typeof refunded | typeof voided>([refunded, voided])(
    'is invalid where a part of the key is missing, although the event has it: %s',
    (name) => {
      const data = { ...elsewhere, original: { purchaseId: 'B07-118834' } };
      expect(routeSourceEvent(sampleEvent(name, { data }), wide)).toMatchObject(
        quarantined('invalid', 'data.original.storeId: required by purchaseKey'),
      );
      expect(routeSourceEvent(sampleEvent(name, { data: { original: {} } }), given)).toMatchObject(
        quarantined('invalid', 'data.original.purchaseId: required by purchaseKey'),
      );
    },
  );

  it.each<typeof refunded | typeof voided>([refunded, voided])('means its own data where it names none: %s', (name) => {
    expect(routeSourceEvent(sampleEvent(name, { data: { original: null } }), wide)).toMatchObject(
      name === voided ? { cancels: [{ target: purchase }] } : { intents: [{ waitsFor: purchase }] },
    );
  });
});

describe('a program that is not in the file', () => {
  const event = sampleEvent(completed, { data: { program: 'toString' } });

  it('is quarantined, or ignored where the file says so', () => {
    expect(routeSourceEvent(event, given)).toMatchObject(quarantined('unknown-program', 'data.program'));
    const lenient = programs(['unknownProgram: quarantine', 'unknownProgram: ignore']);
    expect(routeSourceEvent(event, lenient)).toEqual({ kind: 'ignored', reason: 'unknown-program' });
  });
});
