import { setTimeout as delay } from 'node:timers/promises';

import type { Status } from './status.js';
import { isSettled } from './status.js';

export interface SettleOptions {
  readonly read: () => Promise<Status>;
  readonly onStatus: (status: Status) => void;
  readonly signal: AbortSignal;
}

const pollMs = 200;
/** Longer than any wait of the demo's profile, retries included: nothing moved for so long means that nothing will. */
const stuckAfterMs = 60_000;

/** Waits until all is settled. @returns false when nothing has moved for a minute, or the signal said stop */
export async function settle({ read, onStatus, signal }: SettleOptions): Promise<boolean> {
  let last = '';
  let movedAt = performance.now();
  while (!signal.aborted && performance.now() - movedAt < stuckAfterMs) {
    const status = await read();
    onStatus(status);
    if (isSettled(status)) return true;
    const now = JSON.stringify(status);
    if (now !== last) movedAt = performance.now();
    last = now;
    await delay(pollMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}
