import { useEffect, useState } from 'react';

import { activityKey, endSession, useMe } from './session-store.js';

const idleMsMax = 30 * 60_000;
const warningMs = 60_000;
const lookMs = 1_000;
/** Storage is written that often at most. */
const noteMs = 10_000;

let activeAtMs = Date.now();
let notedAtMs = 0;

function noteActivity(): void {
  activeAtMs = Date.now();
  if (activeAtMs - notedAtMs < noteMs) return;
  notedAtMs = activeAtMs;
  sessionStorage.setItem(activityKey, String(activeAtMs));
}

/** A tab that comes back with the browser may have been left long ago. */
export function wasLeftLongAgo(): boolean {
  const noted = sessionStorage.getItem(activityKey);
  return noted !== null && Date.now() - Number(noted) > idleMsMax;
}

export const idleReason = 'Your session ended after 30 minutes without a key or a click.';
const expiryReason = 'Your session ended: the token has expired.';

/** `idle` goes on with the next key or click, `expiry` does not. */
export interface NearEnd {
  readonly why: 'idle' | 'expiry';
  readonly secondsLeft: number;
}

interface End extends Pick<NearEnd, 'why'> {
  readonly atMs: number;
}

function endOf(expiresAtMs: number | null): End {
  const idleAtMs = activeAtMs + idleMsMax;
  if (expiresAtMs !== null && expiresAtMs < idleAtMs) return { why: 'expiry', atMs: expiresAtMs };
  return { why: 'idle', atMs: idleAtMs };
}

/** Ends the session when it is time; says so one minute before. Used once, in the frame. */
export function useSessionEnd(): NearEnd | null {
  const { expiresAt } = useMe();
  const expiresAtMs = expiresAt === null ? null : Date.parse(expiresAt);
  const [near, setNear] = useState<NearEnd | null>(null);

  useEffect(() => {
    noteActivity();
    const look = (): void => {
      const { why, atMs } = endOf(expiresAtMs);
      const leftMs = atMs - Date.now();
      if (leftMs <= 0) endSession(why === 'idle' ? idleReason : expiryReason);
      setNear(leftMs > warningMs ? null : { why, secondsLeft: Math.ceil(leftMs / 1_000) });
    };
    const onActivity = (): void => {
      // A computer that wakes up: what is pressed then comes too late.
      if (endOf(expiresAtMs).atMs > Date.now()) noteActivity();
      look();
    };
    const timer = setInterval(look, lookMs);
    window.addEventListener('keydown', onActivity);
    window.addEventListener('pointerdown', onActivity);
    return () => {
      clearInterval(timer);
      window.removeEventListener('keydown', onActivity);
      window.removeEventListener('pointerdown', onActivity);
    };
  }, [expiresAtMs]);

  return near;
}
