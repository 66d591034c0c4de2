import { setTimeout as sleep } from 'node:timers/promises';
import type { PartnerStub } from '../stub/start-stub.js';
import type { EventFeeder } from './event-feeder.js';

const eventsPerRequest = 1_000;
const lookIntervalMs = 20;

/** How many events, and how many of them may be on their way at most: memory is not to depend on a backlog in Kafka. */
export interface Feed {
  readonly events: number;
  readonly leadMax: number;
  readonly secondsMax: number;
}

/** Produces as fast as the partner stub applies. @throws when that takes too long */
export const feedWithLead = async (feeder: EventFeeder, stub: PartnerStub, feed: Feed): Promise<void> => {
  const deadline = performance.now() + feed.secondsMax * 1_000;
  const before = (await stub.counts()).applied;
  while (feeder.produced < feed.events) {
    const { applied } = await stub.counts();
    if (performance.now() > deadline) throw new Error(`only ${applied - before} events in ${feed.secondsMax} s`);
    if (feeder.produced - (applied - before) < feed.leadMax) await feeder.produce(eventsPerRequest);
    else await sleep(lookIntervalMs);
  }
};
