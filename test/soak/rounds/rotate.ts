import { waitUntil } from '#platform';

import type { SoakHouse } from '../installation/soak-house.js';

const obtainedMsMax = 180_000;
const obtainedText = 'partner token obtained';

/** The partner gives us another secret and takes no token of the old one; done when every daemon has a new token. */
export async function rotateClientSecret({ wallet, secrets, slots }: SoakHouse): Promise<void> {
  const before = slots.map((slot) => slot.timesLogged(obtainedText));
  await wallet.rotateSecret(await secrets.renewClientSecret());
  const haveTokens = (): boolean => slots.every((slot, index) => slot.timesLogged(obtainedText) > (before[index] ?? 0));
  const what = 'every daemon to have a token by the new secret';
  await waitUntil(haveTokens, { what, timeoutMs: obtainedMsMax, intervalMs: 250 });
}
