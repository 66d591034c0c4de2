import type { IntentName } from '#intents';

import { decodedPart } from '../requests/decoded-part.js';

const seqPattern = /^[1-9]\d{0,9}$/;
const seqMax = 2 ** 31 - 1;

function nameOf(text: string): IntentName | null {
  const parts = text.split('~');
  const [program, memberId] = parts.slice(0, 2).map(decodedPart);
  const seq = Number(parts[2]);
  if (parts.length !== 3 || !program || !memberId) return null;
  return seqPattern.test(parts[2] ?? '') && seq <= seqMax ? { program, memberId, seq } : null;
}

/**
 * What an intent's id in a path may mean, the likeliest first: as it is shown (its parts are percent-encoded already),
 * or percent-encoded once more as a whole, as careful clients do.
 * @param text the part of the path as it was sent
 */
export function intentNames(text: string): IntentName[] {
  const whole = decodedPart(text);
  const names = [nameOf(text), whole === null || whole === text ? null : nameOf(whole)];
  return names.filter((name) => name !== null);
}
