import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const css = readFileSync(fileURLToPath(new URL('./tokens.css', import.meta.url)), 'utf8');
const declared = [...css.matchAll(/--([\w-]+): light-dark\((#[\da-f]{6}), (#[\da-f]{6})\);/g)];
const colours = {
  light: new Map(declared.map(([, name, light]) => [name, light])),
  dark: new Map(declared.map(([, name, , dark]) => [name, dark])),
};

/** WCAG 2.2, relative luminance. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(theme: keyof typeof colours, names: readonly [string, string]): number {
  const values = names.map((name) => luminance(colours[theme].get(name) ?? '#808080')).sort((a, b) => b - a);
  return ((values[0] ?? 0) + 0.05) / ((values[1] ?? 0) + 0.05);
}

const grounds = ['ground', 'surface', 'sunken', 'raised', 'hover', 'chosen'];
const statuses = ['delivered', 'pending', 'unknown', 'parked', 'waiting', 'cancelled', 'danger', 'warning'];
const texts: [string, string][] = [
  ...['text', 'quiet', 'accent', 'danger'].flatMap((name) => grounds.map((on): [string, string] => [name, on])),
  ...statuses.flatMap((name): [string, string][] => [
    [name, `${name}-ground`],
    [name, 'surface'],
    [name, 'ground'],
    ['text', `${name}-ground`],
  ]),
  ['on-accent', 'accent'],
  ['on-accent', 'accent-hover'],
  ['on-danger', 'danger-solid'],
  ['on-danger', 'danger-solid-hover'],
];
const lines: [string, string][] = ['ground', 'surface', 'raised', 'sunken'].flatMap((on): [string, string][] => [
  ['control-line', on],
  ['focus', on],
]);

describe.each(['light', 'dark'] as const)('the colours of the %s theme', (theme) => {
  it.each(texts)('%s can be read on %s', (...pair) => {
    expect(contrast(theme, pair)).toBeGreaterThanOrEqual(4.5);
  });

  it.each(lines)('%s can be seen on %s', (...pair) => {
    expect(contrast(theme, pair)).toBeGreaterThanOrEqual(3);
  });
});

it('every colour is declared for both themes', () => {
  expect(css.match(/#[\da-f]{3,8}\b/g)?.length).toBe(declared.length * 2);
});
