import { changesOf, correctionOf, patchOf } from './correction.js';

const command = {
  operation: 'transaction',
  amount: '12.50',
  attributes: { shop: '•••', receipt: '•••' },
  lines: [1, 2],
};

const edited = (changes: object): string => JSON.stringify({ ...command, ...changes });

it('sends only what differs: what is masked stays as it is', () => {
  const correction = correctionOf(command, edited({ amount: '11.50', attributes: { receipt: '•••' }, lines: [1] }));
  expect(correction).toEqual({
    kind: 'changes',
    changes: [
      { path: 'amount', before: '12.50', after: '11.50' },
      { path: 'attributes.shop', before: '•••' },
      { path: 'lines', before: [1, 2], after: [1] },
    ],
    patch: { amount: '11.50', attributes: { shop: null }, lines: [1] },
  });
});

it.each([
  ['{', 'no JSON object'],
  ['[]', 'no JSON object'],
  [edited({}), 'Nothing is changed'],
  [edited({ message: 'to •••' }), 'masked'],
  [edited({ amount: null }), 'remove'],
])('does not take %s', (text, why) => {
  expect(correctionOf(command, text)).toMatchObject({ kind: 'wrong', why: expect.stringContaining(why) as string });
});

it('makes a content where there is none', () => {
  expect(patchOf({}, { a: { b: 1 } })).toEqual({ a: { b: 1 } });
  expect(changesOf({}, { a: 1 })).toEqual([{ path: 'a', after: 1 }]);
});
