import type { TransactionCommand } from '#domain';

import { listChanges } from './list-changes.js';
import { mergePatch } from './merge-patch.js';
import { reviseCommand } from './revise-command.js';

const parts = {
  operation: 'transaction',
  brandId: '101',
  programId: '2001',
  uniqueId: 'm-1',
  uniqueIdKey: 'memberId',
} as const;
const command: TransactionCommand = {
  ...parts,
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
      { path: 'content.person.age', from: undefined, to: '•••' },
      { path: 'content.person.firstName', from: '•••', to: '•••' },
    ]);
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
    expect(reviseCommand(null, parts, { kind: 'patch', patch })).toEqual({ ...parts, ...patch });
  });

  it('never gives a pass to somebody else', () => {
    const issue = { ...parts, operation: 'issue' as const };
    const revise = (metaData: Readonly<Record<string, string>>) =>
      reviseCommand(null, issue, { kind: 'replace', command: { ...issue, content: { passdata: { metaData } } } });
    expect(revise({ memberId: 'm-1' })).toMatchObject({ operation: 'issue' });
    expect(refusal(() => revise({ memberId: 'm-2' }))).toContain("must be the member's id");
    expect(refusal(() => revise({}))).toContain("must be the member's id");
  });
});
