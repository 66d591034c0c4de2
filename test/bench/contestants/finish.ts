import type { Observation } from '#delivery';
import { machineMs } from '../machine-clock.js';
import type { RoundInput } from './contestant.js';

/** When a delivery counts as ended: rejects on anything but applied attempts, and when it takes too long. */
export class Finish {
  readonly reached: Promise<unknown>;
  private readonly end = Promise.withResolvers<undefined>();
  private readonly wanted: number;
  private count = 0;
  private lastAt = machineMs();

  /** @param notAwaited a lane that is not part of the work */
  constructor(
    { members, intentsPerMember, secondsMax, until }: RoundInput,
    private readonly notAwaited: number | null,
  ) {
    const isTimed = until !== undefined && 'seconds' in until;
    const all = members * intentsPerMember;
    this.wanted = until !== undefined && 'deliveries' in until ? until.deliveries : all;
    const tooLate = (): void => this.fail(`only ${this.count} of ${this.wanted} delivered in ${secondsMax} s`);
    const timers = [setTimeout(tooLate, secondsMax * 1_000)];
    if (isTimed) timers.push(setTimeout(() => this.reach(), until.seconds * 1_000));
    this.reached = this.end.promise.finally(() => timers.forEach(clearTimeout));
  }

  get applied(): number {
    return this.count;
  }

  /** By the machine's clock. */
  get lastAppliedAt(): number {
    return this.lastAt;
  }

  readonly observe = (observation: Observation): void => {
    if (observation.kind !== 'attempt' || observation.outcome !== 'applied') {
      this.fail(`a delivery went wrong: ${JSON.stringify(observation)}`);
    } else if (observation.laneId !== this.notAwaited) {
      this.count += 1;
      this.lastAt = machineMs();
      if (this.count === this.wanted) this.reach();
    }
  };

  reach(): void {
    this.end.resolve(undefined);
  }

  fail(message: string, cause?: unknown): void {
    this.end.reject(new Error(message, { cause }));
  }
}
