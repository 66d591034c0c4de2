import { useEffect, useState } from 'react';

import { endOf, lastActivity, noteActivity, type SessionEnd } from './activity.js';
import { endSession, useMe } from './session-store.js';
import { activityElsewhere } from './shared-session.js';

const warningMs = 60_000;
const lookMs = 1_000;
const otherTabsMs = 250;

export const idleReason = 'Your session ended after 30 minutes without a key or a click.';
const expiryReason = 'Your session ended: the token has expired.';

export interface NearEnd extends Pick<SessionEnd, 'why'> {
  readonly secondsLeft: number;
}

/** Ends the session when it is time; says so one minute before. Used once, in the frame. */
export function useSessionEnd(): NearEnd | null {
  const { expiresAt } = useMe();
  const [near, setNear] = useState<NearEnd | null>(null);

  useEffect(() => {
    noteActivity();
    let isOver = false;
    const leftMs = (): number => endOf({ expiresAt }).atMs - Date.now();
    const look = async (): Promise<void> => {
      // Who works in another tab is not idle here.
      if (endOf({ expiresAt }).why === 'idle' && leftMs() <= warningMs) {
        noteActivity((await activityElsewhere(otherTabsMs)) ?? lastActivity());
      }
      if (isOver) return;
      const { why } = endOf({ expiresAt });
      if (leftMs() <= 0) endSession(why === 'idle' ? idleReason : expiryReason);
      setNear(leftMs() > warningMs ? null : { why, secondsLeft: Math.ceil(leftMs() / 1_000) });
    };
    const onActivity = (): void => {
      // A computer that wakes up: what is pressed then comes too late.
      if (leftMs() > 0) noteActivity();
      void look();
    };
    const timer = setInterval(() => void look(), lookMs);
    window.addEventListener('keydown', onActivity);
    window.addEventListener('pointerdown', onActivity);
    return () => {
      isOver = true;
      clearInterval(timer);
      window.removeEventListener('keydown', onActivity);
      window.removeEventListener('pointerdown', onActivity);
    };
  }, [expiresAt]);

  return near;
}
