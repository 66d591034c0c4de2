import { Script } from 'node:vm';
import { messageCharsMax, patternTrialMsMax } from '../limits.js';

/** How patterns of a dialect are compiled. */
const flags = 'iu';

export function isPattern(text: string): boolean {
  try {
    return new RegExp(text, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

/** What repetitions of no letter in particular take for theirs. */
const commonUnits = ['a', '1', ' ', 'a ', 'a1', '-', 'é'];
/** Words of a pattern from which texts are made. */
const unitsMax = 100;

/** Texts as long as a message may be, which nearly fit: the same over and over, and an end that fits nothing. */
function textsFor(pattern: string): string[] {
  const words = pattern.match(/[\p{L}\p{N}_ ]+/gu) ?? [];
  const letters = [...new Set(words.join(''))];
  const units = new Set([...commonUnits, ...letters, ...words].slice(0, commonUnits.length + unitsMax));
  return [...units].map(
    (unit) => `${unit.repeat(Math.ceil(messageCharsMax / unit.length)).slice(0, messageCharsMax - 1)}\u0001`,
  );
}

/** The clock of a script is the only one that ends a match under way. */
const trial = new Script('for (const text of texts) pattern.test(text)');

/** Whether a valid pattern comes to an end with whatever it is likely to be slow at. It proves nothing of other texts. */
export function isFast(text: string): boolean {
  const scope = { pattern: new RegExp(text, flags), texts: textsFor(text) };
  try {
    trial.runInNewContext(scope, { timeout: patternTrialMsMax });
    return true;
  } catch {
    return false;
  }
}
