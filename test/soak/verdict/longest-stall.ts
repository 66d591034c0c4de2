import type { Injection } from '../rounds/journal.js';
import type { Beat } from '../watch/pulse.js';

/** A circuit breaker stays open for up to 30 s, and looks before it lets anybody through. */
export const troubleLastsMs = 45_000;

/** The partner itself stood in the way, or has only just stopped to. */
function isExcused({ at }: Beat, injections: readonly Injection[]): boolean {
  return injections.some(
    ({ kind, from, to }) => ['too-many', 'error'].includes(kind) && at >= from && at <= to + troubleLastsMs,
  );
}

function hasWork({ hasWork: isDue, acknowledged, ingested }: Beat): boolean {
  return isDue || acknowledged > ingested;
}

/** The longest time, in seconds, in which there was work all along and nothing reached the partner. */
export function longestStall(beats: readonly Beat[], injections: readonly Injection[]): number {
  let [longest, since] = [0, null as Beat | null];
  for (const beat of beats) {
    const goesOn = since !== null && beat.effects === since.effects && hasWork(beat) && !isExcused(beat, injections);
    if (goesOn && since !== null) longest = Math.max(longest, (beat.at - since.at) / 1_000);
    else since = beat;
  }
  return Math.round(longest * 10) / 10;
}
