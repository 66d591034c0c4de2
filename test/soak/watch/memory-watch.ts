import { readdir } from 'node:fs/promises';

import { processMemory } from '#test-support';

import { EverySecond } from './every-second.js';

/** A process, seen once. */
export interface MemorySample {
  readonly process: string;
  readonly pid: number;
  /** Since the run began. */
  readonly seconds: number;
  /** Since this process was first seen. */
  readonly ageSeconds: number;
  /** Resident. */
  readonly mebibytes: number;
  readonly descriptors: number;
}

/** A place where processes live, one after the other. */
export interface Inhabited {
  readonly name: string;
  /** Null while nobody is there. */
  readonly pid: number | null;
}

/** Looks every second at how much memory and how many descriptors processes have, by /proc. */
export class MemoryWatch {
  readonly samples: MemorySample[] = [];
  private readonly bornAt = new Map<number, number>();
  private readonly startedAt = performance.now();
  private readonly watch: EverySecond;

  constructor(private readonly places: readonly Inhabited[]) {
    this.watch = new EverySecond(() => this.look());
  }

  async stop(): Promise<void> {
    await this.watch.stop();
  }

  private async look(): Promise<void> {
    // A process may go while it is looked at.
    await Promise.all(this.places.map((place) => this.sample(place).catch(() => undefined)));
  }

  private async sample({ name, pid }: Inhabited): Promise<void> {
    if (pid === null) return;
    const now = performance.now();
    const bornAt = this.bornAt.get(pid) ?? now;
    this.bornAt.set(pid, bornAt);
    const [memory, descriptors] = await Promise.all([processMemory(pid), readdir(`/proc/${pid}/fd`)]);
    const { residentMebibytes: mebibytes } = memory;
    if (Number.isNaN(mebibytes)) return;
    const seconds = (now - this.startedAt) / 1_000;
    const ageSeconds = (now - bornAt) / 1_000;
    this.samples.push({ process: name, pid, seconds, ageSeconds, mebibytes, descriptors: descriptors.length });
  }
}
