import { invisibleIn, isVisible, mixesScripts, visibleRule } from './visible-text.js';

describe('what nobody sees of an id', () => {
  it.each([
    ['a zero-width joiner', '\u200d', 'U+200D'],
    ['a zero-width space', '\u200b', 'U+200B'],
    ['a soft hyphen', '\u00ad', 'U+00AD'],
    ['a byte order mark', '\ufeff', 'U+FEFF'],
    ['a direction', '\u202e', 'U+202E'],
    ['an isolate', '\u2066', 'U+2066'],
    ['a mark of direction', '\u061c', 'U+061C'],
    ['a variation selector', '\ufe0f', 'U+FE0F'],
    ['a variation selector of the supplement', '\u{e0100}', 'U+E0100'],
    ['a Mongolian one', '\u180b', 'U+180B'],
    ['a tag', '\u{e0041}', 'U+E0041'],
    ['a grapheme joiner', '\u034f', 'U+034F'],
    ['a Hangul filler', '\u3164', 'U+3164'],
    ['half of it', '\uffa0', 'U+FFA0'],
    ['a blank of Braille', '\u2800', 'U+2800'],
    ['a null note', '\u{1d159}', 'U+1D159'],
    ['a separator of lines', '\u2028', 'U+2028'],
    ['of paragraphs', '\u2029', 'U+2029'],
    ['a space that does not break', '\u00a0', 'U+00A0'],
    ['an ideographic space', '\u3000', 'U+3000'],
    ['a thin space', '\u2009', 'U+2009'],
    ['a control', '\u0000', 'U+0000'],
    ['a tab', '\t', 'U+0009'],
    ['a control of C1', '\u0085', 'U+0085'],
    ['half a surrogate pair', '\ud800', 'U+D800'],
    ['the other half', '\udc00', 'U+DC00'],
    ['no character', '\uffff', 'U+FFFF'],
    ['a format of hieroglyphs', '\u{13430}', 'U+13430'],
  ])('%s is named', (_what, character, name) => {
    for (const text of [`m${character}1`, `${character}m`, `Zoë${character}`]) {
      expect(invisibleIn(text)).toBe(name);
      expect(isVisible(text)).toBe(false);
      expect(visibleRule(text)).toBe(`has ${name}, which cannot be seen`);
    }
  });

  it.each(['m_81273', 'B 07', 'Zoë', 'Jürgen-7', 'член', '会員１', '😀', 'العضو', 'z\u0308', ''])(
    '%j is seen',
    (text) => {
      expect(invisibleIn(text)).toBeNull();
      expect(visibleRule(text)).toBe('');
    },
  );
});

describe('an id of several scripts', () => {
  it.each([
    ['a Cyrillic letter among Latin ones', 'm_\u043e1', true],
    ['a Greek one', 'till-\u03bf', true],
    ['Latin alone', 'm_o1ü', false],
    ['Cyrillic alone, with digits', 'член-7', false],
    ['Latin beside others that look otherwise', 'shop会員', false],
  ])('%s', (_what, text, isMixed) => {
    expect(mixesScripts(text)).toBe(isMixed);
  });
});
