import { createRequire } from 'node:module';
import type * as Parser from 'regjsparser';
import { messageCharsMax, patternStepsMax } from '../../limits.js';
import type { Automaton, PatternNode } from './pattern-automaton.js';
import { patternFeatures, PatternStates, UnjudgedPattern } from './pattern-automaton.js';
import { Characters } from './pattern-characters.js';
import { greedyTexts, SlowTexts, stepsOf, type Word } from './slow-texts.js';

/** How patterns of a dialect are compiled. */
export const patternFlags = 'iu';

export function isPattern(text: string): boolean {
  try {
    return new RegExp(text, patternFlags) instanceof RegExp;
  } catch {
    return false;
  }
}

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
function countedAutomaton(root: PatternNode, characters: Characters, otherwise: Automaton): Automaton {
  try {
    return new PatternStates(characters, messageCharsMax).automaton(root);
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

function slowText(text: string, flags: string): string | null {
  const root = parsed(text);
  const characters = new Characters(text, flags);
  const searched = new PatternStates(characters, searchCopiesMax).automaton(root);
  const counted = countedAutomaton(root, characters, searched);
  const looped = new SlowTexts(searched, characters).texts(messageCharsMax);
  const texts = [...looped, ...greedyTexts(counted, characters, messageCharsMax)];
  const slow = texts.find((each) => stepsOf(counted, characters, each) > patternStepsMax);
  return slow === undefined ? null : shown(slow, characters);
}

/** Programs share dialects: each pattern is judged once. */
const judged = new Map<string, string | null>();
const judgedMax = 1_000;

/**
 * Judges a valid pattern by how a backtracking matcher goes through it, without running it: whether some text as long as a
 * message may be holds it up for more than `patternStepsMax` tries.
 * @returns the rule that it breaks, with such a text; null: none
 */
export function patternProblem(text: string, flags = patternFlags): string | null {
  const key = `${flags} ${text}`;
  const known = judged.get(key);
  if (known !== undefined) return known;
  const problem = judge(text, flags);
  if (judged.size >= judgedMax) judged.clear();
  judged.set(key, problem);
  return problem;
}

function judge(text: string, flags: string): string | null {
  try {
    const slow = slowText(text, flags);
    return slow === null
      ? null
      : `takes too long at a text such as ${slow}; avoid repetitions within repetitions, and many that take the same`;
  } catch (error) {
    if (error instanceof UnjudgedPattern) return `${error.message}: nobody can tell how long it takes`;
    throw error;
  }
}
