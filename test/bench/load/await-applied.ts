import { waitUntil } from '#embedded';
import type { PartnerStub } from '../stub/start-stub.js';

const pollIntervalMs = 100;

/**
 * Waits until the stub has applied so many calls since its last reset.
 * @throws when it saw one twice, out of order or unreadable, or after `timeoutMs`
 */
export const awaitApplied = async (stub: PartnerStub, wanted: number, timeoutMs: number): Promise<void> => {
  const isThere = async (): Promise<boolean> => {
    const counts = await stub.counts();
    const wrong = counts.duplicates + counts.outOfOrder + counts.unreadable;
    if (wrong > 0 || counts.applied > wanted) throw new Error(`the partner stub saw ${JSON.stringify(counts)}`);
    return counts.applied === wanted;
  };
  await waitUntil(isThere, { what: `${wanted} deliveries`, timeoutMs, intervalMs: pollIntervalMs });
};
