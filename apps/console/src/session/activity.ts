import { activityKey, type Me } from './session-store.js';

const idleMsMax = 30 * 60_000;
/** Storage is written that often at most. */
const noteMs = 10_000;

let activeAtMs = Date.now();
let notedAtMs = 0;

/** When somebody last pressed something here, or in another tab of the same session; epoch ms. */
export const lastActivity = (): number => activeAtMs;

/** @param atMs when it was; not before what is known already */
export function noteActivity(atMs = Date.now()): void {
  activeAtMs = Math.max(activeAtMs, atMs);
  if (activeAtMs - notedAtMs < noteMs) return;
  notedAtMs = activeAtMs;
  sessionStorage.setItem(activityKey, String(activeAtMs));
}

/** A tab that comes back with the browser may have been left long ago. */
export function wasLeftLongAgo(): boolean {
  const noted = sessionStorage.getItem(activityKey);
  return noted !== null && Date.now() - Number(noted) > idleMsMax;
}

/** `idle` goes on with the next key or click, `expiry` does not. */
export interface SessionEnd {
  readonly why: 'idle' | 'expiry';
  readonly atMs: number;
}

/** When the session ends by itself, as far as is known in this tab. */
export function endOf({ expiresAt }: Pick<Me, 'expiresAt'>): SessionEnd {
  const idleAtMs = activeAtMs + idleMsMax;
  const expiresAtMs = expiresAt === null ? Infinity : Date.parse(expiresAt);
  return expiresAtMs < idleAtMs ? { why: 'expiry', atMs: expiresAtMs } : { why: 'idle', atMs: idleAtMs };
}
