import { Watch } from '../../chaos/verdict/watch.js';
import type { SoakHouse } from '../installation/soak-house.js';
import { type MemorySample, MemoryWatch } from './memory-watch.js';
import { type Beat, Pulse } from './pulse.js';

/** Everything that looks on while a run is under way. */
export class Watches {
  private readonly startedAt = performance.now();

  private constructor(
    /** Looks at lanes and offsets, for the checker. */
    readonly lanes: Watch,
    private readonly memory: MemoryWatch,
    private readonly pulse: Pulse,
  ) {}

  static async open(house: SoakHouse, acknowledged: () => number): Promise<Watches> {
    const { postgres, wallet, slots } = house;
    const pulse = await Pulse.take({ truthUrl: postgres.url, walletUrl: wallet.databaseUrl, acknowledged });
    const sandbox = { name: 'sandbox', pid: wallet.pid };
    return new Watches(new Watch(house), new MemoryWatch([...slots, sandbox]), pulse);
  }

  /** Since they were opened. */
  get seconds(): number {
    return (performance.now() - this.startedAt) / 1_000;
  }

  get beats(): readonly Beat[] {
    return this.pulse.beats;
  }

  get samples(): readonly MemorySample[] {
    return this.memory.samples;
  }

  /** Looks that failed. */
  get failures(): number {
    return this.pulse.failures;
  }

  async stop(): Promise<void> {
    await Promise.all([this.lanes.stop(), this.memory.stop(), this.pulse.stop()]);
  }
}
