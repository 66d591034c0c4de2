import type { TransactionCommand } from '#intents/core';

import { mask } from '../masking/mask-personal.js';
import { commandShape } from '../masking/shown-documents.js';
import { mergePatch } from './merge-patch.js';
import { enforcedAttributes, listChanges, reviseCommand } from './revise-command.js';

const names = {
  operation: 'transaction',
  brandId: '101',
  programId: '2001',
  uniqueId: 'm-1',
  uniqueIdKey: 'memberId',
} as const;
/** The programs file claims nothing. */
const parts = { ...names, enforced: [] };
const command: TransactionCommand = {
  ...names,
  transactionTypeId: '31',
  amount: '59.99',
  transactionDate: '2026-11-21T08:00:00.000Z',
  attributes: { receipt: 'B07', store: 'berlin' },
  uniqueAttribute: { name: 'receipt', value: 'B07', enforced: true },
};

const patched = (patch: Readonly<Record<string, unknown>>) => reviseCommand(command, parts, { kind: 'patch', patch });

/** The detail of the problem that it is refused with. */
function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return 'not refused';
}

describe('a merge patch', () => {
  // The examples of RFC 7396, appendix A.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('of %j with %j is %j', (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });

  it('reaches no prototype', () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__":{"polluted":true}}'));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(Object.keys(merged as object)).toEqual(['__proto__']);
  });
});

describe('the changes between two commands', () => {
  it('are told by path, what is personal masked', () => {
    const before = { amount: '1.00', content: { person: { firstName: 'Ada' } }, brandId: '101' };
    const after = { amount: '2.00', content: { person: { firstName: 'Bea', age: 3 } }, brandId: '101' };
    expect(listChanges(before, after)).toEqual([
      { path: 'amount', from: '1.00', to: '2.00' },
      { path: 'content.person.age', from: undefined, to: 'number •••' },
      { path: 'content.person.firstName', from: 'text(3) •••', to: 'text(3) •••' },
    ]);
    const typed = { content: { person: { firstName: 'Bea' } } };
    expect(listChanges(before, after, typed)).toContainEqual({
      path: 'content.person.firstName',
      from: 'text(3) •••',
      to: 'Bea',
    });
    expect(listChanges(after, after)).toEqual([]);
  });
});

describe('a corrected command', () => {
  it('is the present one with what is to change', () => {
    expect(patched({ amount: '-12.5', attributes: { store: null, campaign: 'autumn' } })).toEqual({
      ...command,
      amount: '-12.5',
      attributes: { receipt: 'B07', campaign: 'autumn' },
    });
  });

  it('keeps the unique value together with its attribute', () => {
    expect(patched({ attributes: { receipt: 'B08' } })).toMatchObject({ uniqueAttribute: { value: 'B08' } });
    expect(refusal(() => patched({ attributes: { receipt: null } }))).toContain('attributes.receipt');
  });

  it.each(['uniqueId', 'brandId', 'programId', 'uniqueIdKey'])('goes to the same member: %s stays', (name) => {
    expect(refusal(() => patched({ [name]: 'another' }))).toContain(`${name}: a correction cannot change`);
  });

  it('is nothing that delivery could not send, and its refusal quotes no value', () => {
    for (const patch of [
      { amount: 'secret' },
      { operation: 'reward' },
      { colour: 'secret' },
      { attributes: 'secret' },
    ]) {
      expect(refusal(() => patched(patch))).not.toMatch(/^not refused$|secret/);
    }
  });

  it('gives a content to what was recorded without one', () => {
    const { operation, transactionTypeId, amount, transactionDate, attributes } = command;
    const patch = { operation, transactionTypeId, amount, transactionDate, attributes };
    expect(reviseCommand(null, parts, { kind: 'patch', patch })).toEqual({ ...names, ...patch });
  });

  it('never gives a pass to somebody else', () => {
    const issue = { ...names, operation: 'issue' as const };
    const known = { ...issue, enforced: [] };
    const revise = (metaData: Readonly<Record<string, string>>) =>
      reviseCommand(null, known, { kind: 'replace', command: { ...issue, content: { passdata: { metaData } } } });
    expect(revise({ memberId: 'm-1' })).toMatchObject({ operation: 'issue' });
    expect(refusal(() => revise({ memberId: 'm-2' }))).toContain("must be the member's id");
    expect(refusal(() => revise({}))).toContain("must be the member's id");
  });
});

describe('what a correction is made of', () => {
  it('is never what stands for a masked value: its path is named', () => {
    expect(refusal(() => patched({ attributes: { receipt: '•••' } }))).toContain('attributes.receipt: •••');
    expect(refusal(() => patched({ attributes: { lines: [{ note: 'to •••' }] } }))).toContain(
      'attributes.lines.0.note',
    );
    expect(refusal(() => patched({ amount: '1.00', attributes: { store: 'munich' } }))).toBe('not refused');
  });

  it('is never a whole command copied from what was shown', () => {
    const issue = { ...names, operation: 'issue' as const };
    const metaData = { memberId: 'm-1' };
    const full = { ...issue, content: { person: { firstName: 'Ada' }, passdata: { metaData }, message: 'Hello' } };
    const shown = mask(full, commandShape) as Readonly<Record<string, unknown>>;
    const known = { ...issue, enforced: [] };
    const revise = (sent: Readonly<Record<string, unknown>>) =>
      refusal(() => reviseCommand(null, known, { kind: 'replace', command: sent }));
    expect(revise(shown)).toMatch(/^content\.person\.firstName, content\.passdata\.metaData, content\.message: /);
    expect(revise(full)).toBe('not refused');
  });
});

describe('what the file makes of the total', () => {
  const made: TransactionCommand = {
    ...command,
    attributes: { ...command.attributes, cents: 5999, receipt: 'B07-5999' },
    uniqueAttribute: { name: 'receipt', value: 'B07-5999', enforced: true },
    ofTotal: { digits: 2, attributes: { cents: [{ of: 'minor' }], receipt: [{ text: 'B07-' }, { of: 'minor' }] } },
  };
  const revised = (patch: Readonly<Record<string, unknown>>): object =>
    reviseCommand(made, parts, { kind: 'patch', patch });

  it('regression: goes with the amount that a person says, also what is unique of it', () => {
    expect(revised({ amount: '-50.00' })).toMatchObject({
      attributes: { cents: 5000, receipt: 'B07-5000', store: 'berlin' },
      uniqueAttribute: { value: 'B07-5000' },
    });
  });

  it('is what a person says instead, from then on', () => {
    expect(revised({ amount: '50', attributes: { cents: 7 } })).toMatchObject({
      attributes: { cents: 7, receipt: 'B07-5000' },
      ofTotal: { attributes: { receipt: expect.anything() as unknown } },
    });
    expect(revised({ attributes: { cents: null } })).not.toHaveProperty('ofTotal.attributes.cents');
  });

  it('is shown as attributes alone, and may be sent back as shown', () => {
    const { ofTotal: _own, ...sent } = made;
    const back = { ...sent, amount: '50.00' };
    expect(reviseCommand(made, parts, { kind: 'replace', command: back })).toMatchObject({
      attributes: { cents: 5000 },
      ofTotal: made.ofTotal,
    });
    const paths = listChanges(made, revised({ attributes: { cents: 7 } })).map(({ path }) => path);
    expect(paths).toEqual(['attributes.cents']);
  });
});

describe('whose pass a correction is about', () => {
  const named: TransactionCommand = {
    ...command,
    serialNumber: 'S-1',
    passId: 'P-1',
    by: { parameter: 'email', value: 'ada@example.org' },
  };
  const revised = (current: TransactionCommand | null, sent: Readonly<Record<string, unknown>>) =>
    reviseCommand(current, parts, { kind: 'patch', patch: sent });

  it.each([
    ['serialNumber', { serialNumber: 'S-2' }],
    ['serialNumber', { serialNumber: null }],
    ['passId', { passId: 'P-2' }],
    ['by', { by: { value: 'bob@example.org' } }],
    ['by', { by: { parameter: 'person_id' } }],
    ['by', { by: null }],
  ])('stays, whatever it is named by: %s, %j', (name, patch) => {
    const text = refusal(() => revised(named, patch));
    expect(text).toContain(`${name}: a correction cannot change`);
    expect(text).not.toMatch(/S-|P-|@/);
  });

  it.each([{ serialNumber: 'S-1' }, { passId: 'P-1' }, { by: { parameter: 'email', value: 'bob@example.org' } }])(
    'is not named by somebody where nothing named it: %j',
    (patch) => {
      const content = { ...patch, transactionTypeId: '31', amount: '1', transactionDate: command.transactionDate };
      expect(refusal(() => revised(command, patch))).toContain('a correction cannot change');
      expect(refusal(() => revised(null, { ...content, attributes: {} }))).toContain('a correction cannot change');
    },
  );

  it('stays where the whole command says nothing of it, for it is shown masked', () => {
    const said = { ...command, amount: '2.00' };
    expect(reviseCommand(named, parts, { kind: 'replace', command: said })).toEqual({ ...named, amount: '2.00' });
    const others = { ...said, serialNumber: 'S-2' };
    expect(refusal(() => reviseCommand(named, parts, { kind: 'replace', command: others }))).toContain('serialNumber:');
  });
});

describe('whether the partner refuses a value twice', () => {
  const { uniqueAttribute, ...plain } = command;
  const receipt = { transactionTypeId: '31', name: 'receipt' };
  const loose: TransactionCommand = { ...plain, uniqueAttribute: { name: 'receipt', value: 'B07', enforced: false } };
  const revised = (
    current: TransactionCommand | null,
    sent: Readonly<Record<string, unknown>>,
    enforced: readonly (typeof receipt)[] = [receipt],
  ) => reviseCommand(current, { ...names, enforced }, { kind: 'patch', patch: sent });

  it('is not for a correction to say: it is as it was recorded', () => {
    expect(refusal(() => revised(loose, { uniqueAttribute: { enforced: true } }))).toContain(
      'uniqueAttribute.enforced:',
    );
    expect(refusal(() => revised(command, { uniqueAttribute: { enforced: false } }))).toContain('.enforced:');
    expect(revised(loose, { amount: '1' })).toMatchObject({ uniqueAttribute: { enforced: false } });
    expect(revised(command, { amount: '1' }, [])).toMatchObject({ uniqueAttribute: { enforced: true } });
    const whole = { kind: 'replace', command: { ...loose, uniqueAttribute } } as const;
    expect(refusal(() => reviseCommand(loose, parts, whole))).toContain('uniqueAttribute.enforced:');
  });

  it('is as the programs file claims for what had none', () => {
    const add = { uniqueAttribute: { name: 'receipt' } };
    const value = 'B07';
    expect(revised(plain, add)).toMatchObject({ uniqueAttribute: { value, enforced: true } });
    expect(revised(plain, add, [])).toMatchObject({ uniqueAttribute: { value, enforced: false } });
    const content = { ...plain, uniqueAttribute: { name: 'receipt', enforced: true } };
    expect(revised(null, content)).toMatchObject({ uniqueAttribute: { value, enforced: true } });
    expect(refusal(() => revised(null, content, []))).toContain('uniqueAttribute.enforced:');
  });

  it('does not go along to another attribute or another type', () => {
    expect(revised(command, { uniqueAttribute: { name: 'store' } })).toMatchObject({
      uniqueAttribute: { name: 'store', value: 'berlin', enforced: false },
    });
    expect(revised(command, { transactionTypeId: '99' })).toMatchObject({ uniqueAttribute: { enforced: false } });
    const back = revised({ ...loose, transactionTypeId: '99' }, { transactionTypeId: '31' });
    expect(back).toMatchObject({ uniqueAttribute: { enforced: true } });
  });

  it('is claimed where every mapping of that type and attribute claims it', () => {
    const mapping = (uniqueEnforced: boolean, uniqueAttributeName: string | null = 'receipt') => ({
      via: 'transaction' as const,
      transactionTypeId: '31',
      sign: 1 as const,
      attributes: {},
      uniqueAttribute: uniqueAttributeName,
      uniqueEnforced,
      pointsDelta: null,
    });
    const none = { via: 'none' } as const;
    const of = (completed: ReturnType<typeof mapping> | null, refunded: ReturnType<typeof mapping> | null) =>
      enforcedAttributes({ purchases: { completed, refunded, voided: none, refundVoided: none, corrected: none } });
    expect(of(mapping(true), null)).toMatchObject([receipt]);
    expect(of(mapping(true), mapping(true, 'other'))).toMatchObject([receipt, { ...receipt, name: 'other' }]);
    expect(of(mapping(true), mapping(false))).toEqual([]);
    expect(of(mapping(false, null), null)).toEqual([]);
  });
});
