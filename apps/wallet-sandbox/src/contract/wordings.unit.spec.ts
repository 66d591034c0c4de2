import { chooseWording, wordings } from './wordings.js';

const duplicateWord = /duplicate|already|in use|must be unique/i;

describe.each(wordings.map((wording, index) => ({ index, wording })))('wording $index', ({ wording }) => {
  it('of a used value names attribute and value and says duplicate', () => {
    const message = wording.valueUsed('receipt', 'B07-118834');
    expect(message).toMatch(duplicateWord);
    expect(message).toContain('receipt');
    expect(message).toContain('B07-118834');
  });

  it('of a second pass names the identifier and says duplicate', () => {
    const message = wording.passExists('memberId', 'm_1');
    expect(message).toMatch(duplicateWord);
    expect(message).toContain('memberId');
  });

  it('of a missing pass is not taken for a duplicate', () => {
    expect(wording.noSuchPass('unique_id', 'm_1')).not.toMatch(duplicateWord);
  });
});

it('a seed may choose any number', () => {
  expect(chooseWording(wordings.length + 1)).toBe(wordings[1]);
});
