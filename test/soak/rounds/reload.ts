import { waitUntil } from '#platform';

import type { DaemonSlot } from '../../chaos/installation/daemon-slot.js';
import type { SoakHouse } from '../installation/soak-house.js';
import { awaitAgreement } from './operator.js';

const toldMsMax = 60_000;
const refusedText = 'programs file not taken over';
const readText = 'programs file read again';

/** Does something to all daemons, and waits until each has logged the text once more. */
async function untilAllTell(slots: readonly DaemonSlot[], text: string, work: () => Promise<void>): Promise<void> {
  const before = slots.map((slot) => slot.timesLogged(text));
  await work();
  const haveTold = (): boolean => slots.every((slot, index) => slot.timesLogged(text) > (before[index] ?? 0));
  await waitUntil(haveTold, { what: `every daemon to log: ${text}`, timeoutMs: toldMsMax, intervalMs: 250 });
}

/** Another edition of the file, told by a signal or left to be noticed; done when all processes work by it. */
export async function changePrograms(house: SoakHouse, isSignalled: boolean): Promise<void> {
  const before = await awaitAgreement(house);
  await house.programs.change();
  if (isSignalled) for (const slot of house.slots) slot.hangUp();
  await awaitAgreement(house, before);
}

/** A file that is wrong: everybody says so and goes on by the old one; then it is put right. */
export async function spoilPrograms(house: SoakHouse): Promise<void> {
  const { slots, programs } = house;
  const before = await awaitAgreement(house);
  await untilAllTell(slots, refusedText, async () => {
    await programs.spoil();
    for (const slot of slots) slot.hangUp();
  });
  await untilAllTell(slots, readText, async () => {
    await programs.restore();
    for (const slot of slots) slot.hangUp();
  });
  const after = await awaitAgreement(house);
  if (after !== before) throw new Error('a programs file that is wrong was taken over');
}
