import { MapRefusal } from '../map-error.js';
import { patternTextCharsMax } from '../map-limits.js';
import type { Native, Run } from '../native.js';
import type { MapObject, Value } from '../values.js';
import { foundIn, isMissing, kindOf, listOf, ownList, textOf, wholeOf } from './arguments.js';

/** A function of one text; what is missing stays so. */
function ofText(name: string, change: (text: string) => string): Native {
  const run: Native['run'] = ([value], at) => (value === undefined ? undefined : at.made(change(textOf(name, value))));
  return { name, takes: [1, 1], isMethod: true, kind: 'other', run };
}

/** JSONata's: white space within becomes one space each. */
function trimmed(text: string): string {
  return text
    .replace(/[ \t\n\r]+/g, ' ')
    .replace(/^ /, '')
    .replace(/ $/, '');
}

/** What a scalar is as text. @throws MapRefusal for what has none */
export function textFor(value: Value): string {
  if (value === undefined) return '';
  if (typeof value === 'object' && value !== null) {
    throw new MapRefusal(`only text can be joined, and this is ${kindOf(value)}`);
  }
  return String(value);
}

/** A pattern tries at most so many characters as the square of the text's length allows, when it was judged. */
function matches(text: string, pattern: RegExp, run: Run): RegExpExecArray[] {
  if (text.length > patternTextCharsMax) {
    throw new MapRefusal(`a pattern meets a text longer than ${patternTextCharsMax} characters`);
  }
  run.charge(1 + Math.ceil(text.length ** 2 / patternTextCharsMax));
  return [...text.matchAll(pattern)];
}

function limitOf(name: string, value: Value): number {
  return value === undefined ? Number.POSITIVE_INFINITY : Math.max(0, wholeOf(name, value));
}

const contains: Native = {
  ...{ name: 'contains', takes: [2, 2], isMethod: true, kind: 'boolean' },
  run([value, part], run) {
    if (value === undefined || part === undefined) return undefined;
    const text = textOf('contains', value);
    return part instanceof RegExp ? matches(text, part, run).length > 0 : text.includes(textOf('contains', part));
  },
};

const match: Native = {
  ...{ name: 'match', takes: [2, 3], isMethod: true, kind: 'other' },
  run([value, pattern, limit], run) {
    if (value === undefined) return undefined;
    if (!(pattern instanceof RegExp)) throw new MapRefusal('$match takes a pattern');
    const found = matches(textOf('match', value), pattern, run).slice(0, limitOf('match', limit));
    run.charge(found.length);
    return foundIn(
      found.map((each): MapObject => ({ match: each[0], index: each.index, groups: ownList(each.slice(1)) })),
    );
  },
};

/** `$1` is the first group, `$0` all, `$$` a dollar. */
function written(replacement: string, found: RegExpExecArray): string {
  return replacement.replace(/\$(?:\$|(\d))/g, (_, digit: string | undefined) => {
    return digit === undefined ? '$' : (found[Number(digit)] ?? '');
  });
}

function replacedByPattern(text: string, found: readonly RegExpExecArray[], replacement: string): string {
  let made = '';
  let from = 0;
  for (const each of found) {
    made += text.slice(from, each.index) + written(replacement, each);
    from = each.index + each[0].length;
  }
  return made + text.slice(from);
}

function replacedText(text: string, part: string, replacement: string, limit: number): string {
  if (part === '') throw new MapRefusal('$replace looks for empty text');
  const parts = text.split(part);
  const count = Math.min(limit, parts.length - 1);
  return (
    parts.slice(0, count + 1).join(replacement) +
    parts
      .slice(count + 1)
      .map((rest) => part + rest)
      .join('')
  );
}

const replace: Native = {
  ...{ name: 'replace', takes: [3, 4], isMethod: true, kind: 'other' },
  run([value, part, by, limit], run) {
    if (value === undefined) return undefined;
    const text = textOf('replace', value);
    const replacement = textOf('replace', by);
    const count = limitOf('replace', limit);
    // What it may come to is known before it is made.
    run.charge(Math.ceil(((text.length + 1) * (replacement.length + 1)) / 1_000));
    if (!(part instanceof RegExp)) return run.made(replacedText(text, textOf('replace', part), replacement, count));
    return run.made(replacedByPattern(text, matches(text, part, run).slice(0, count), replacement));
  },
};

function splitByPattern(text: string, found: readonly RegExpExecArray[]): string[] {
  const ends = found.map(({ index }) => index);
  const starts = found.map((each) => each.index + each[0].length);
  return [0, ...starts].map((start, at) => text.slice(start, ends[at]));
}

const split: Native = {
  ...{ name: 'split', takes: [2, 3], isMethod: true, kind: 'other' },
  run([value, separator, limit], run) {
    if (value === undefined) return undefined;
    const text = textOf('split', value);
    const parts =
      separator instanceof RegExp
        ? splitByPattern(text, matches(text, separator, run))
        : text.split(textOf('split', separator));
    run.charge(parts.length);
    return ownList(parts.slice(0, limitOf('split', limit)));
  },
};

const join: Native = {
  ...{ name: 'join', takes: [1, 2], kind: 'other' },
  run([value, separator], run) {
    if (value === undefined) return undefined;
    const between = separator === undefined ? '' : textOf('join', separator);
    const texts = listOf(value).map((each) => textOf('join', each));
    run.charge(texts.length * (1 + Math.ceil(between.length / 100)));
    return run.made(texts.join(between));
  },
};

const substring: Native = {
  ...{ name: 'substring', takes: [2, 3], isMethod: true, kind: 'other' },
  run([value, from, length], run) {
    if (value === undefined) return undefined;
    const characters = Array.from(textOf('substring', value));
    const start = Math.max(wholeOf('substring', from), -characters.length);
    if (length === undefined) return run.made(characters.slice(start).join(''));
    const first = start < 0 ? characters.length + start : start;
    return run.made(characters.slice(first, first + Math.max(0, wholeOf('substring', length))).join(''));
  },
};

function cutAt(name: 'substringBefore' | 'substringAfter'): Native {
  const run: Native['run'] = ([value, part]) => {
    if (value === undefined) return undefined;
    const text = textOf(name, value);
    const mark = textOf(name, part);
    const at = text.indexOf(mark);
    if (at === -1) return text;
    return name === 'substringBefore' ? text.slice(0, at) : text.slice(at + mark.length);
  };
  return { name, takes: [2, 2], isMethod: true, kind: 'other', run };
}

const pad: Native = {
  ...{ name: 'pad', takes: [2, 3], isMethod: true, kind: 'other' },
  run([value, width, filling], run) {
    if (value === undefined) return undefined;
    const text = textOf('pad', value);
    const length = wholeOf('pad', width);
    const missing = Math.abs(length) - Array.from(text).length;
    if (missing <= 0) return text;
    run.charge(missing);
    const characters = Array.from(filling === undefined ? ' ' : textOf('pad', filling) || ' ');
    const made = Array.from({ length: missing }, (_, at) => characters[at % characters.length]).join('');
    return run.made(length > 0 ? text + made : made + text);
  },
};

const string: Native = {
  ...{ name: 'string', takes: [1, 1], isMethod: true, kind: 'other' },
  run: ([value]) => (value === undefined ? undefined : textFor(value)),
};

const length: Native = {
  ...{ name: 'length', takes: [1, 1], isMethod: true, kind: 'count' },
  run: ([value]) => (isMissing(value) ? undefined : Array.from(textOf('length', value)).length),
};

export const texts: readonly Native[] = [
  ofText('uppercase', (text) => text.toUpperCase()),
  ofText('lowercase', (text) => text.toLowerCase()),
  ofText('trim', trimmed),
  ...[contains, match, replace, split, join, substring, pad, string, length],
  ...[cutAt('substringBefore'), cutAt('substringAfter')],
];
