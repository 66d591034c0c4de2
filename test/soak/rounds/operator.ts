import type { ProgramsStanding } from '#contracts';
import { waitUntil } from '#embedded';

import type { DaemonSlot } from '../../chaos/installation/daemon-slot.js';
import type { SoakHouse } from '../installation/soak-house.js';

const agreeMsMax = 120_000;

function ask(slot: DaemonSlot, token: string): Promise<Response> {
  return fetch(`${slot.address ?? ''}/api/v1/reload`, { headers: { authorization: `Bearer ${token}` } });
}

/** Whether that daemon's operations API lets an operator of that token in. */
export async function mayEnter(slot: DaemonSlot, token: string): Promise<boolean> {
  const response = await ask(slot, token);
  await response.body?.cancel();
  return response.ok;
}

/** Asks the veteran's operations API. @returns null where it did not answer 200 */
async function standing({ veteran, secrets }: SoakHouse): Promise<ProgramsStanding | null> {
  const response = await ask(veteran, secrets.operatorToken);
  if (response.ok) return (await response.json()) as ProgramsStanding;
  await response.body?.cancel();
  return null;
}

/** Which programs file all processes work by; null while they do not agree, or not all of them have reported. */
async function agreed(house: SoakHouse): Promise<string | null> {
  const found = await standing(house);
  const alive = found?.processes.filter((process) => process.alive) ?? [];
  const [first] = alive;
  const isAgreed = alive.length === house.slots.length && alive.every(({ hash }) => hash === first?.hash);
  return isAgreed ? (first?.hash ?? null) : null;
}

/** @returns the hash of the file that all processes work by, once that is another than `before` */
export async function awaitAgreement(house: SoakHouse, before: string | null = null): Promise<string> {
  const what = 'all processes to work by the same programs file';
  return waitUntil(
    async () => {
      const hash = await agreed(house);
      return hash === before ? null : hash;
    },
    { what, timeoutMs: agreeMsMax, intervalMs: 250 },
  );
}
