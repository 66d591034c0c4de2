import { retryAfterMsMax } from '#domain';

import type { ProgramDesk } from './program-desk.js';

/** Tells the program's gate what a call showed of the partner's health, and how long it asked us to rest. */
export function tellGate(
  { gate }: ProgramDesk,
  seen: { readonly isHealthy: boolean; readonly retryAfterMs: number | null },
  { now, chance }: { readonly now: number; readonly chance: number },
): void {
  if (seen.isHealthy) gate.reached();
  else gate.missed(now, chance);
  if (seen.retryAfterMs !== null) gate.restUntil(now + Math.min(seen.retryAfterMs, retryAfterMsMax));
}
