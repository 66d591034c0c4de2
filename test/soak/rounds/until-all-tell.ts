import { waitUntil } from '#embedded';

import type { DaemonSlot } from '../../chaos/installation/daemon-slot.js';

const toldMsMax = 180_000;

/** Does something to all daemons, and waits until each has logged the text once more. */
export async function untilAllTell(
  slots: readonly DaemonSlot[],
  text: string,
  work: () => Promise<void>,
): Promise<void> {
  const before = slots.map((slot) => slot.timesLogged(text));
  await work();
  const haveTold = (): boolean => slots.every((slot, index) => slot.timesLogged(text) > (before[index] ?? 0));
  await waitUntil(haveTold, { what: `every daemon to log: ${text}`, timeoutMs: toldMsMax, intervalMs: 250 });
}
