import { chooseWording, otherWording, type Wording, wordings } from './wordings.js';

const duplicateWord = /duplicate|already|in use|must be unique/i;
const all = wordings.map((wording) => ({ name: wording.name, wording }));

/** Every text of a wording, framed as it is sent. */
function texts(wording: Wording): string[] {
  return [
    wording.noSuchPass('unique_id', 'm_1'),
    wording.passExists('passdata.metaData.memberId', 'm_1'),
    wording.valueUsed('receipt', 'B07-118834'),
    wording.noSuch('reward', '9'),
    wording.required('amount'),
    wording.invalid('amount', 'must be a number'),
    wording.invalidRequest('Unrecognized key: "colour"'),
  ].map((text) => wording.frame(text));
}

describe.each(all)('the $name wording', ({ wording }) => {
  it('of a used value names the attribute and says duplicate', () => {
    const message = wording.frame(wording.valueUsed('receipt', 'B07-118834'));
    expect(message).toMatch(duplicateWord);
    expect(message).toContain('receipt');
  });

  it('of a second pass names the identifier and says duplicate', () => {
    const message = wording.frame(wording.passExists('memberId', 'm_1'));
    expect(message).toMatch(duplicateWord);
    expect(message).toContain('memberId');
  });

  it('of anything else is not taken for a duplicate', () => {
    const [noSuchPass, , , ...others] = texts(wording);
    for (const message of [noSuchPass, ...others]) expect(message).not.toMatch(duplicateWord);
  });

  it('keeps what a frame is put around, at least its first part', () => {
    expect(wording.frame('points: must be a number; seat: must be a string')).toContain('points: must be a number');
  });

  it('says everything otherwise than every other wording', () => {
    const others = wordings.filter((other) => other !== wording).flatMap(texts);
    for (const message of texts(wording)) expect(others).not.toContain(message);
  });
});

it('a seed may choose any number', () => {
  expect(chooseWording(wordings.length + 1)).toBe(wordings[1]);
});

it('there is always another wording', () => {
  for (const wording of wordings) expect(otherWording(wording)).not.toBe(wording);
});
