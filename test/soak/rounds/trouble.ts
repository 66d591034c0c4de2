import { setTimeout as delay } from 'node:timers/promises';

import type { SoakHouse } from '../installation/soak-house.js';
import type { Journal } from './journal.js';

const tooManyMs = 4_000;
const errorMs = 3_000;
const calmMs = 1_000;

/** The partner wants rest, then it answers nothing but 503, then it is well. */
export async function troublePartner({ wallet }: SoakHouse, journal: Journal): Promise<void> {
  await journal.during('too-many', null, async () => {
    const heal = await wallet.misbehave([{ operation: '*', kind: 'too-many', retryAfter: 1, probability: 1 }]);
    await delay(tooManyMs);
    await heal();
  });
  await delay(calmMs);
  await journal.during('error', null, async () => {
    const heal = await wallet.misbehave([{ operation: '*', kind: 'error-before', status: 503, probability: 1 }]);
    await delay(errorMs);
    await heal();
  });
}
