import { judgePattern } from '#platform/patterns';

import { messageCharsMax, patternStepsMax } from '../../limits.js';

/** How patterns of a dialect are compiled. */
export const patternFlags = 'iu';

export function isPattern(text: string): boolean {
  try {
    return new RegExp(text, patternFlags) instanceof RegExp;
  } catch {
    return false;
  }
}

/** The rule that a valid pattern of a dialect breaks: what it meets are messages of the partner. Null: none. */
export function patternProblem(text: string, flags = patternFlags): string | null {
  return judgePattern(text, flags, { charsMax: messageCharsMax, stepsMax: patternStepsMax });
}
