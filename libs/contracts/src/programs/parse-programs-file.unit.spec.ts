import fc from 'fast-check';
import { parseProgramsFile, type ProgramsContext } from './parse-programs-file.js';
import { PROGRAMS_FILE_EXAMPLE } from './programs-file-example.js';
import type { Program } from './program.js';

const minimal = (settings = '', ids = 'brandId: 101, programId: 2001'): string =>
  `programs: { p: { ${ids}${settings === '' ? '' : `, ${settings}`} } }`;

function read(text: string, context?: ProgramsContext): Program {
  const result = parseProgramsFile(text, context);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return Object.values(result.value.programs)[0]!;
}

function errors(text: string, context?: ProgramsContext): readonly string[] {
  const result = parseProgramsFile(text, context);
  return result.ok ? [] : result.errors;
}

const transaction = 'transactionTypeId: 31';
const completed = (settings: string): string => minimal(`currency: EUR, purchases: { completed: { ${settings} } }`);

describe('the example of the contract', () => {
  it('is read, sources split into paths and constants', () => {
    const program = read(PROGRAMS_FILE_EXAMPLE);
    expect(program.purchases.completed).toEqual({
      via: 'transaction',
      transactionTypeId: '31',
      sign: 1,
      attributes: {
        store: { kind: 'path', path: ['storeId'], required: false },
        receipt: { kind: 'path', path: ['purchaseId'], required: false },
        campaign: { kind: 'path', path: ['attributes', 'campaign'], required: false },
        system: { kind: 'value', value: 'pos' },
      },
      uniqueAttribute: 'receipt',
      uniqueEnforced: true,
      pointsDelta: null,
    });
    expect(program.personAttributes).toEqual({
      birthday: { kind: 'path', path: ['person', 'birthDate'], required: false },
    });
    expect(program.rewards).toEqual({ 'free-coffee': { id: '9001', pointsDelta: -10 } });
    expect(program.limits).toEqual({ requestsPerSecond: 200, concurrency: 32, replayShare: 0.2 });
  });

  it('gives a frozen object', () => {
    expect(() => Object.assign(read(PROGRAMS_FILE_EXAMPLE).tiers, { gold: 9 })).toThrow(TypeError);
  });
});

describe('notBefore', () => {
  it.each([
    ['2010-05-01', Date.UTC(2010, 4, 1)],
    ['"2024-01-01T00:00:00+01:00"', Date.UTC(2023, 11, 31, 23)],
  ])('is %s', (text, timeMs) => {
    expect(read(minimal(`notBefore: ${text}`)).notBefore).toBe(timeMs);
  });

  it.each(['2010', '2010-02-30', '"01.05.2010"'])('is refused as %s', (text) => {
    expect(() => read(minimal(`notBefore: ${text}`))).toThrow('notBefore');
  });
});

describe('receipts that do not count', () => {
  it('are told by fields and their values', () => {
    expect(read(minimal('ignoreReceipts: { attributes.training: true, channel: [test, 7] }')).ignoreReceipts).toEqual([
      { path: ['attributes', 'training'], values: [true] },
      { path: ['channel'], values: ['test', 7] },
    ]);
  });

  it.each(['{ "attributes.": true }', '{ channel: [] }', '{ channel: { a: 1 } }', '[channel]'])(
    'are refused as %s',
    (fields) => {
      expect(() => read(minimal(`ignoreReceipts: ${fields}`))).toThrow('ignoreReceipts');
    },
  );
});

describe('a currency', () => {
  it.each(['EUR', 'XCG', 'BGN', 'HRK', 'DEM', 'ZWL'])('regression: %s stays valid once it is withdrawn', (currency) => {
    expect(read(minimal(`currency: ${currency}`)).currency).toBe(currency);
  });
});

describe('defaults', () => {
  it('fill in everything that the smallest program leaves out', () => {
    expect(read(minimal())).toEqual({
      brandId: '101',
      programId: '2001',
      currency: null,
      currencyDigits: null,
      notBefore: Date.UTC(2020, 0, 1),
      uniqueIdKey: 'memberId',
      lookup: { by: 'unique_id' },
      enrolment: { via: 'issue' },
      update: { via: 'none' },
      existingPass: { points: 'keep' },
      templateId: null,
      tiers: {},
      personAttributes: {},
      purchaseKey: [['purchaseId']],
      grantKey: [['grantId']],
      refundUnknown: 'park',
      anonymousReceiptDays: 100,
      ignoreReceipts: [],
      purchases: {
        completed: null,
        refunded: null,
        voided: { via: 'none' },
        refundVoided: { via: 'none' },
        corrected: { via: 'none' },
      },
      rewards: {},
      revoked: { via: 'none' },
      missingPass: { waitMs: 86_400_000 },
      onRejoin: 'keep',
      missingPurchase: { waitMs: 3_600_000 },
      retries: { maxAttempts: 12, maxAgeMs: 259_200_000 },
      inFlightMs: 120_000,
      onUnknown: { issue: 'probe', update: 'probe', transaction: 'park', reward: 'park', 'schedule-update': 'park' },
      onPark: {
        issue: 'block',
        update: 'continue',
        transaction: 'continue',
        reward: 'continue',
        'schedule-update': 'continue',
      },
      autoPause: { sameRefusals: 20 },
      limits: { requestsPerSecond: null, concurrency: null, replayShare: 0.2 },
      priority: { types: {}, sources: {} },
      eventsMay: { erase: false, merge: false, perHour: 100 },
      dialect: {},
    });
  });

  it('take a refund and a void as negative, a purchase as positive', () => {
    const mapped = `{ ${transaction} }`;
    const text = minimal(`currency: EUR, purchases: { completed: ${mapped}, refunded: ${mapped}, voided: ${mapped} }`);
    expect(read(text).purchases).toMatchObject({
      completed: { sign: 1 },
      refunded: { sign: -1 },
      voided: { sign: -1 },
    });
  });

  it('accept short forms', () => {
    expect(read(minimal('rewards: { a: "9001", b: 9002 }')).rewards).toEqual({
      a: { id: '9001', pointsDelta: null },
      b: { id: '9002', pointsDelta: null },
    });
    expect(read(minimal('rewards: { a: { id: 1, spendsPoints: true } }')).rewards).toEqual({
      a: { id: '1', pointsDelta: null, spendsPoints: true },
    });
    expect(read(minimal('revoked: { id: 9003 }')).revoked).toEqual({ via: 'reward', id: '9003', pointsDelta: null });
    expect(parseProgramsFile(minimal())).toMatchObject({ value: { unknownProgram: 'quarantine' } });
  });

  it('let programs share settings by anchors', () => {
    const text = 'programs:\n  a: &a { brandId: 1, programId: 2 }\n  b: { <<: *a, programId: 3 }\n';
    expect(parseProgramsFile(text)).toMatchObject({
      value: { programs: { a: { brandId: '1', programId: '2' }, b: { brandId: '1', programId: '3' } } },
    });
  });
});

describe('ids', () => {
  it.each([
    ['2001', '2001'],
    ['"2001"', '2001'],
    ['0101', '0101'],
    ['9007199254740993', '9007199254740993'],
    ['prog-a', 'prog-a'],
  ])('%s is kept as %s', (written, kept) => {
    expect(read(minimal('', `brandId: 101, programId: ${written}`)).programId).toBe(kept);
  });

  it.each(['-1', '1.5', 'true', '""', '"a b"', 'null', '[1]'])('%s is refused', (written) => {
    expect(errors(minimal('', `brandId: 101, programId: ${written}`))[0]).toMatch(/^programs\.p\.programId: /);
  });
});

describe('the canonical text', () => {
  const canonical = (text: string): string => {
    const result = parseProgramsFile(text);
    return result.ok ? result.canonicalText : '';
  };

  it('is the same for files that mean the same', () => {
    expect(canonical(minimal('tiers: { a: 1, b: 2 }, refundUnknown: park'))).toBe(
      canonical('# a comment\nprograms:\n  p:\n    tiers: {b: 2, a: 1}\n    programId: "2001"\n    brandId: "101"\n'),
    );
  });

  it('is another for another meaning', () => {
    expect(canonical(minimal('tiers: { a: 1 }'))).not.toBe(canonical(minimal('tiers: { a: 2 }')));
  });
});

describe('refused, with its path', () => {
  it.each([
    ['', '(the file): '],
    ['[]', '(the file): '],
    ['programs: {}', 'programs: at least one'],
    ['programs: { p: 1 }', 'programs.p: '],
    ['programs: { p: { brandId: 1 } }', 'programs.p.programId: '],
    [`unknownProgram: drop\n${minimal()}`, 'unknownProgram: '],
    [`unknown: 1\n${minimal()}`, '(the file): Unrecognized key: "unknown"'],
    [minimal('currancy: EUR'), 'programs.p: Unrecognized key: "currancy"'],
    [minimal('currency: EURO'), 'programs.p.currency: must be an ISO 4217'],
    [minimal('currency: hrk'), 'programs.p.currency: must be an ISO 4217'],
    [minimal('currency: XYZ'), 'programs.p.currency: must be an ISO 4217'],
    [minimal('lookup: { by: phone }'), 'programs.p.lookup.by: '],
    [minimal('enrolment: { via: workflow }'), 'programs.p.enrolment.workflowId: '],
    [minimal('update: { via: magic }'), 'programs.p.update.via: '],
    [minimal('update: { via: workflow }'), 'programs.p.update.workflowId: '],
    [minimal('tiers: { basic: one }'), 'programs.p.tiers.basic: '],
    [
      minimal('personAttributes: { birthday: person..birthDate }'),
      'programs.p.personAttributes.birthday: must be a path',
    ],
    [minimal('missingPass: { waitMs: 0 }'), 'programs.p.missingPass.waitMs: '],
    [minimal('missingPurchase: { waitMs: 0 }'), 'programs.p.missingPurchase.waitMs: '],
    [minimal('retries: { maxAttempts: 1.5 }'), 'programs.p.retries.maxAttempts: '],
    [minimal('inFlightMs: "2m"'), 'programs.p.inFlightMs: '],
    [minimal('onUnknown: { issue: hope }'), 'programs.p.onUnknown.issue: '],
    [minimal('onUnknown: { schedule-update: probe }'), 'programs.p.onUnknown.schedule-update: '],
    [minimal('limits: { replayShare: 2 }'), 'programs.p.limits.replayShare: '],
    [minimal('rewards: { a: { pointsDelta: 1 } }'), 'programs.p.rewards.a.id: '],
    [completed('sign: 1'), 'programs.p.purchases.completed.transactionTypeId: '],
    [completed(`${transaction}, sign: 2`), 'programs.p.purchases.completed.sign: must be 1 or -1'],
    [
      completed(`${transaction}, attributes: { a: [x] }`),
      'programs.p.purchases.completed.attributes.a: must be a path',
    ],
    [completed(`${transaction}, attributes: { a: "" }`), 'programs.p.purchases.completed.attributes.a: must be a path'],
    ...[
      '[storeId]',
      '[storeId, purchaseId], with: ""',
      '[storeId, purchaseId], with: "%"',
      '[storeId, purchaseId], with: x',
    ].map((join) => [
      completed(`${transaction}, attributes: { a: { join: ${join} } }`),
      'programs.p.purchases.completed.attributes.a: ',
    ]),
    [
      minimal('personAttributes: { a: { join: [person.a, person.b] } }'),
      'programs.p.personAttributes.a: must be a path',
    ],
    [minimal('rewards: { a: 1, a: 2 }'), 'not readable as YAML: Map keys must be unique'],
    ['programs: {', 'not readable as YAML: '],
    ['a: 1\n---\nb: 2', 'not readable as YAML: '],
    ['programs: !!js/function "x"', 'not readable as YAML: '],
  ])('%s', (text, error) => {
    expect(errors(text)).toEqual(expect.arrayContaining([expect.stringContaining(error)]));
  });

  it('aliases that blow up', () => {
    const levels = 'bcdefgh'.split('').map((name, at) => `${name}: &${name} [${`*${'abcdefgh'[at]!},`.repeat(9)}]`);
    expect(errors(`a: &a [x]\n${levels.join('\n')}`)[0]).toMatch(/alias/i);
  });

  it('all at once', () => {
    expect(errors(minimal('lookup: { by: phone }, tiers: { basic: one }'))).toHaveLength(2);
  });
});

describe('rules between settings', () => {
  it.each([
    [minimal('purchaseKey: [storeId]'), 'programs.p.purchaseKey: must contain purchaseId'],
    [minimal('grantKey: [storeId]'), 'programs.p.grantKey: must contain grantId'],
    [minimal('grantKey: [grantId, channel]'), 'programs.p.grantKey[1]: must be grantId, storeId, memberId or'],
    [minimal('purchaseKey: [purchaseId, till]'), 'programs.p.purchaseKey[1]: must be purchaseId'],
    [minimal('purchaseKey: [purchaseId, purchaseId]'), 'programs.p.purchaseKey: names a path twice'],
    [minimal(`purchases: { completed: { ${transaction} } }`), 'programs.p.currency: required'],
    [completed(`${transaction}, uniqueEnforced: true`), 'programs.p.purchases.completed.uniqueEnforced: needs'],
    [
      completed(`${transaction}, uniqueAttribute: receipt`),
      'programs.p.purchases.completed.uniqueAttribute: must be one',
    ],
    [
      completed(`${transaction}, uniqueAttribute: toString`),
      'programs.p.purchases.completed.uniqueAttribute: must be one',
    ],
    [
      completed(`${transaction}, attributes: { a: { value: 1 } }, uniqueAttribute: a`),
      'programs.p.purchases.completed.uniqueAttribute: must not be a constant',
    ],
    [minimal('update: { via: schedule }'), 'programs.p.update.via: schedule needs the dialect setting'],
    [minimal('onUnknown: { reward: probe }, rewards: { a: 1 }'), 'programs.p.onUnknown.reward: probe needs'],
    [
      minimal('onUnknown: { reward: probe }, rewards: { a: { id: 1, pointsDelta: 0 } }'),
      'programs.p.onUnknown.reward: probe needs',
    ],
    [
      minimal(`currency: EUR, onUnknown: { transaction: probe }, purchases: { completed: { ${transaction} } }`),
      'programs.p.onUnknown.transaction: probe needs',
    ],
  ])('%s', (text, error) => {
    expect(errors(text)).toEqual([expect.stringContaining(error)]);
  });

  const receipt = (source: string, more = ''): string =>
    `{ ${transaction}, attributes: { receipt: ${source} }, uniqueAttribute: receipt${more} }`;
  const wide = (purchases: string): string =>
    minimal(`currency: EUR, purchaseKey: [storeId, purchaseId], purchases: { ${purchases} }`);

  it.each([
    [wide(`completed: ${receipt('purchaseId')}`), 'completed.attributes.receipt: must carry every part of purchaseKey'],
    [wide(`completed: ${receipt('purchaseId')}`), '{ join: [storeId, purchaseId] } (missing: storeId)'],
    [wide(`completed: ${receipt('{ join: [channel, purchaseId] }')}`), '(missing: storeId)'],
    [
      wide(`refunded: ${receipt('{ join: [storeId, purchaseId] }')}`),
      '{ join: [storeId, refundId] } (missing: refundId)',
    ],
    [wide(`voided: ${receipt('purchaseId')}`), 'voided.attributes.receipt: must carry'],
    [completed(`${transaction}, attributes: { r: attributes.no }, uniqueAttribute: r`), '(missing: purchaseId)'],
  ])('refuse a unique value that two sales may share: %s', (text, error) => {
    expect(errors(text)).toEqual([expect.stringContaining(error)]);
  });

  it.each([
    wide(`completed: ${receipt('{ join: [storeId, purchaseId] }', ', uniqueEnforced: true')}`),
    wide(`completed: ${receipt('{ join: [purchaseId, channel, storeId], with: "/" }')}`),
    wide(`refunded: ${receipt('{ join: [storeId, refundId] }')}`),
    completed(`${transaction}, attributes: { r: purchaseId }, uniqueAttribute: r`),
  ])('take one that carries the whole key: %s', (text) => {
    expect(errors(text)).toEqual([]);
  });

  const two = (one: string, other: string, otherId = 2001): string => `programs:
  a: { brandId: 101, programId: 2001, currency: EUR, purchases: { ${one} } }
  b: { brandId: 101, programId: ${otherId}, currency: EUR, purchases: { ${other} } }`;
  const sale = `completed: ${receipt('purchaseId')}`;

  it('refuse two dialects of one program of the partner', () => {
    const spoken = (one: string, other: string, otherId?: number): string =>
      two('', '', otherId).replace('a: {', `a: { dialect: ${one},`).replace('b: {', `b: { dialect: ${other},`);
    const resent = '{ notApplied: { statuses: [503] } }';
    expect(errors(spoken(resent, '{}'))).toEqual([
      expect.stringContaining('programs.b.dialect: must be that of programs.a'),
    ]);
    expect([errors(spoken(resent, resent)), errors(spoken(resent, '{}', 2002))]).toEqual([[], []]);
    const [one, other] = ['lookup: { byUniqueIdPath: a }', 'notApplied: { statuses: [503] }'];
    expect(errors(spoken(`{ ${one}, ${other} }`, `{ ${other}, ${one} }`))).toEqual([]);
  });

  it.each([
    [
      two(sale, sale),
      'programs.b.purchases.completed.attributes.receipt: gives a unique attribute the same value as programs.a',
    ],
    [
      two(sale, `completed: { ${transaction}, attributes: { receipt: { from: purchaseId, required: true } } }`),
      'programs.b',
    ],
    [two(`completed: { ${transaction}, attributes: { receipt: purchaseId } }`, sale), 'programs.b'],
    [minimal(`currency: EUR, purchases: { ${sale}, voided: ${receipt('purchaseId')} }`), 'programs.p.purchases.voided'],
  ])('refuse two mappings that give a unique attribute one value: %s', (text, error) => {
    expect(errors(text)).toEqual([expect.stringContaining(error)]);
  });

  it.each([
    two(sale, sale, 2002),
    two(sale, sale.replace('31', '32')),
    two(sale, `completed: { ${transaction}, attributes: { other: purchaseId } }`),
    two(...(Array(2).fill(`completed: ${receipt('{ join: [program, purchaseId] }')}`) as [string, string])),
    minimal(`currency: EUR, purchases: { ${sale}, refunded: ${receipt('refundId')} }`),
  ])('allow what cannot meet there: %s', (text) => {
    expect(errors(text)).toEqual([]);
  });

  const withPoints = (sameId: number): string => `programs:
  a: { brandId: 101, programId: 2001, onUnknown: { reward: probe }, rewards: { r: { id: 1, pointsDelta: 5 } } }
  b: { brandId: 101, programId: ${sameId} }`;

  it('refuse to probe points which another program of the file moves, too', () => {
    expect(errors(withPoints(2001))).toEqual([
      expect.stringContaining('programs.a.onUnknown.reward: probe reads points which programs.b moves, too'),
    ]);
    expect(errors(withPoints(2002))).toEqual([]);
  });

  it('allow a scheduled update once a dialect names its property', () => {
    const scheduled = minimal('update: { via: schedule }');
    const dialect = { schedule: { changeProperty: 'changes' } };
    expect(read(scheduled, { dialect }).update).toEqual({ via: 'schedule' });
    const own = minimal('update: { via: schedule }, dialect: { schedule: { changeProperty: changes } }');
    expect(read(own).update).toEqual({ via: 'schedule' });
    const beside = minimal('update: { via: schedule }, dialect: { schedule: { changeAt: top-level } }');
    expect(read(beside).update).toEqual({ via: 'schedule' });
  });

  it('refuse a scheduled update whose program takes the property away again', () => {
    const dialect = { schedule: { changeProperty: 'changes' } };
    const none = minimal('update: { via: schedule }, dialect: { schedule: { changeProperty: null } }');
    const result = parseProgramsFile(none, { dialect });
    expect(result).toMatchObject({ ok: false, errors: [expect.stringContaining('programs.p.update.via')] });
  });

  it('allow a wider purchase key and probes with known points', () => {
    expect(read(minimal('purchaseKey: [storeId, attributes.till, purchaseId]')).purchaseKey).toEqual([
      ['storeId'],
      ['attributes', 'till'],
      ['purchaseId'],
    ]);
    expect(errors(minimal('onUnknown: { reward: probe }, rewards: { a: { id: 1, pointsDelta: -5 } }'))).toEqual([]);
  });
});

describe('whatever the file says', () => {
  it('never throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => typeof parseProgramsFile(text).ok === 'boolean'));
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('tiers', 'purchases', 'rewards', 'update', 'purchaseKey'),
        (json, key) => {
          const program = { brandId: 1, programId: 2, [key]: json };
          return typeof parseProgramsFile(JSON.stringify({ programs: { p: program } })).ok === 'boolean';
        },
      ),
    );
  });
});
