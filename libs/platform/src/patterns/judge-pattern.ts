import { createRequire } from 'node:module';
import type * as Parser from 'regjsparser';
import type { Automaton, PatternNode } from './pattern-automaton.js';
import { patternFeatures, PatternStates, UnjudgedPattern } from './pattern-automaton.js';
import { Characters } from './pattern-characters.js';
import { greedyTexts, SlowTexts, stepsOf, type Word } from './slow-texts.js';

/** Where slow texts are looked for, more copies are a loop: it has at least as many ways, and few places. */
const searchCopiesMax = 3;

/** Loaded where there is a pattern to judge: hardly any installation has one. */
function parsed(text: string): PatternNode {
  const { parse } = createRequire(import.meta.url)('regjsparser') as typeof Parser;
  try {
    return parse(text, 'u', patternFeatures);
  } catch {
    throw new UnjudgedPattern('holds what is not read here');
  }
}

/** As it is written, or with loops where that would be too large to count in. */
function countedAutomaton(
  root: PatternNode,
  { characters, charsMax }: { readonly characters: Characters; readonly charsMax: number },
  otherwise: Automaton,
): Automaton {
  try {
    return new PatternStates(characters, charsMax).automaton(root);
  } catch (error) {
    if (error instanceof UnjudgedPattern) return otherwise;
    throw error;
  }
}

/** As much of a text as shows how it is made. */
const shownCharsMax = 60;

function shown(text: Word, characters: Characters): string {
  const written = text.map((kind) => characters.kinds[kind] ?? '').join('');
  return `${JSON.stringify(written.slice(0, shownCharsMax))}, going on like this to ${written.length} characters`;
}

function slowText(text: string, flags: string, { charsMax, stepsMax }: PatternBounds): string | null {
  const root = parsed(text);
  const characters = new Characters(text, flags);
  const searched = new PatternStates(characters, searchCopiesMax).automaton(root);
  const counted = countedAutomaton(root, { characters, charsMax }, searched);
  const looped = new SlowTexts(searched, characters).texts(charsMax);
  const texts = [...looped, ...greedyTexts(counted, characters, charsMax)];
  const slow = texts.find((each) => stepsOf(counted, characters, each) > stepsMax);
  return slow === undefined ? null : shown(slow, characters);
}

/** Programs and sources share patterns: each is judged once. */
const judged = new Map<string, string | null>();
const judgedMax = 1_000;

/** What a pattern meets, and may take. */
export interface PatternBounds {
  /** Longest text that it meets. */
  readonly charsMax: number;
  /** Characters that it may try in one text. */
  readonly stepsMax: number;
}

/**
 * Judges a valid pattern by how a backtracking matcher goes through it, without running it: whether some text of `charsMax`
 * characters holds it up for more than `stepsMax` tries.
 * @returns the rule that it breaks, with such a text; null: none
 */
export function judgePattern(text: string, flags: string, bounds: PatternBounds): string | null {
  const key = `${flags} ${bounds.charsMax} ${bounds.stepsMax} ${text}`;
  const known = judged.get(key);
  if (known !== undefined) return known;
  const problem = judge(text, flags, bounds);
  if (judged.size >= judgedMax) judged.clear();
  judged.set(key, problem);
  return problem;
}

function judge(text: string, flags: string, bounds: PatternBounds): string | null {
  try {
    const slow = slowText(text, flags, bounds);
    return slow === null
      ? null
      : `takes too long at a text such as ${slow}; avoid repetitions within repetitions, and many that take the same`;
  } catch (error) {
    if (error instanceof UnjudgedPattern) return `${error.message}: nobody can tell how long it takes`;
    throw error;
  }
}
