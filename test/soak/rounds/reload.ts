import type { SoakHouse } from '../installation/soak-house.js';
import { awaitAgreement } from './operator.js';
import { untilAllTell } from './until-all-tell.js';

const refusedText = 'programs file not taken over';
const readText = 'programs file read again';

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
