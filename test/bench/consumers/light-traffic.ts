import { machineMs } from '../child.js';
import type { PartitionFeeder } from './partition-feeder.js';
import type { EventPlace } from './recorded-look.js';

/** An event of which the broker has said that it has it. */
export interface ProducedEvent extends EventPlace {
  /** When it said so, by the machine's clock. */
  readonly at: number;
}

/** Each partition gets an event so often. */
const intervalMs = 100;

/** Produces into all partitions, whatever becomes of it, until it is stopped. */
export class LightTraffic {
  readonly events: ProducedEvent[] = [];
  private readonly timer: NodeJS.Timeout;
  private readonly underWay = new Set<Promise<void>>();
  private failure: unknown = null;

  constructor(private readonly feeder: PartitionFeeder) {
    this.timer = setInterval(() => this.produce(), intervalMs);
  }

  /** Resolves when the broker has everything. @throws when it refused some of it */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.underWay);
    if (this.failure !== null) throw new Error('producing failed', { cause: this.failure });
  }

  private produce(): void {
    const send = this.send()
      .catch((error: unknown) => {
        this.failure = error;
      })
      .finally(() => this.underWay.delete(send));
    this.underWay.add(send);
  }

  private async send(): Promise<void> {
    const places = await this.feeder.produceRow();
    const at = machineMs();
    for (const { partition, baseOffset } of places) this.events.push({ partition, offset: Number(baseOffset), at });
  }
}
