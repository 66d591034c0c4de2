import { machineMs } from '../machine-clock.js';
import type { EventFeeder } from './event-feeder.js';

/** Events that fall due between two looks at the clock are produced together. */
const lookIntervalMs = 1;

export interface OpenLoop {
  /** Number of the first event. */
  readonly first: number;
  readonly count: number;
  /** When the `index`-th event of the loop was due, by the machine's clock. */
  readonly dueAt: (index: number) => number;
  /** From when an event was due until the broker had it; one per request. */
  readonly producedMs: readonly number[];
}

/**
 * Produces events at a given rate, evenly spaced. Each is to be measured from when it was due: one that went late,
 * because this process or the broker was slow, counts with its delay (no coordinated omission).
 */
export const runOpenLoop = async (
  feeder: EventFeeder,
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
): Promise<OpenLoop> => {
  const count = Math.max(1, Math.round(rate * seconds));
  const first = feeder.produced;
  const producedMs: number[] = [];
  const finished = Promise.withResolvers<undefined>();
  const startedAt = machineMs();
  const dueAt = (index: number): number => startedAt + (index * 1_000) / rate;
  const produceDue = async (): Promise<void> => {
    const sent = feeder.produced - first;
    const due = Math.min(count, Math.floor(((machineMs() - startedAt) * rate) / 1_000) + 1);
    if (due <= sent) return;
    await feeder.produce(due - sent);
    producedMs.push(machineMs() - dueAt(sent));
    if (due === count) finished.resolve(undefined);
  };
  const timer = setInterval(() => void produceDue().catch(finished.reject), lookIntervalMs);
  await finished.promise.finally(() => clearInterval(timer));
  return { first, count, dueAt, producedMs };
};
