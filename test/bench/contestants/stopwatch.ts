import type { RoundFigures } from './contestant.js';

/** Wall and processor time from its making on. */
export class Stopwatch {
  private readonly startedAt = performance.now();
  private readonly cpuAtStart = process.cpuUsage();

  read(done: number, statements: number | null = null): RoundFigures {
    const { user, system } = process.cpuUsage(this.cpuAtStart);
    const seconds = (performance.now() - this.startedAt) / 1_000;
    return { done, seconds, cpuSeconds: (user + system) / 1e6, statements };
  }
}
