import { createContext, Script } from 'node:vm';
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
const trial = new Script('pattern.test(text)');
/** A busy machine may give a trial little of its time: then it is tried again. */
const trialsMax = 20;

function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Whether the match comes to an end before this thread has worked until then, however long that takes. */
function endsBefore(untilMs: number, scope: object): boolean {
  for (let trials = 0; trials < trialsMax && processorMs() < untilMs; trials += 1) {
    try {
      trial.runInContext(scope, { timeout: patternTrialMsMax });
      return processorMs() < untilMs;
    } catch {
      continue;
    }
  }
  return false;
}

/** Whether a valid pattern comes to an end with whatever it is likely to be slow at. It proves nothing of other texts. */
export function isFast(text: string): boolean {
  const untilMs = processorMs() + patternTrialMsMax;
  const scope = createContext({ pattern: new RegExp(text, flags), text: '' });
  return textsFor(text).every((one) => endsBefore(untilMs, Object.assign(scope, { text: one })));
}
