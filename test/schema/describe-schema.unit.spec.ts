import { lineDifference } from './describe-schema.js';

const lines = (...texts: readonly string[]): string => texts.join('\n');

describe('lineDifference', () => {
  it('of the same text is empty', () => {
    expect(lineDifference('a\nb', 'a\nb')).toBe('');
  });

  it('shows what went and what came, with two lines around', () => {
    const before = lines('1', '2', '3', 'old', '4', '5', '6');
    expect(lineDifference(before, before.replace('old', 'new'))).toBe(
      lines('...', '  2', '  3', '- old', '+ new', '  4', '  5'),
    );
  });

  it('shows added and removed lines at the ends', () => {
    expect(lineDifference('a', 'a\nb')).toBe(lines('  a', '+ b'));
    expect(lineDifference('a\nb', 'b')).toBe(lines('- a', '  b'));
    expect(lineDifference('', 'a')).toBe(lines('- ', '+ a'));
  });

  it('separates changes that lie apart', () => {
    const before = lines('x', '1', '2', '3', '4', '5', '6', 'y');
    const shown = lineDifference(before, before.replace('x', 'X').replace('y', 'Y'));
    expect(shown).toBe(lines('- x', '+ X', '  1', '  2', '...', '  5', '  6', '- y', '+ Y'));
  });
});
