import type { DeliveryEffect, DeliveryEvent } from '../engine/messages.js';
import type { DeliverySettings } from '../settings.js';

/** Timers that led to nothing, within one second: more is a loop that spins. */
const idleTimersMax = 20;

/** Watches how busy one engine is: claims and timers must keep their pace when there is nothing to do. */
export class PaceCheck {
  private readonly emptyClaimAt = new Map<string, number>();
  private readonly flushes = new Set<number>();
  private readonly wokenMeanwhile = new Set<string>();
  private readonly underWay = new Set<string>();
  private idleTimers: number[] = [];

  constructor(private readonly settings: DeliverySettings) {}

  /** @returns what is wrong with this turn */
  turned(events: readonly DeliveryEvent[], effects: readonly DeliveryEffect[], now: number): string[] {
    for (const event of events) this.hear(event, now);
    const problems = effects.flatMap((effect) => this.see(effect, now));
    if (this.flushes.size > this.settings.flushesMax) problems.push(`${this.flushes.size} group commits at once`);
    const isTimer = events.every((event) => event.type === 'Woken' && !event.isWorkLikely);
    const isIdle = isTimer && effects.every(({ type }) => type === 'SetTimer');
    this.idleTimers = this.idleTimers.filter((at) => at > now - 1_000);
    if (isIdle) this.idleTimers.push(now);
    return this.idleTimers.length > idleTimersMax ? [...problems, 'timers without work'] : problems;
  }

  private hear(event: DeliveryEvent, now: number): void {
    if (isWakeUp(event)) {
      this.emptyClaimAt.clear();
      for (const program of this.underWay) this.wokenMeanwhile.add(program);
    }
    if (event.type === 'Claimed') this.answered(event.program, event.lanes.length > 0, now);
    if (event.type === 'Flushed' || event.type === 'FlushFailed') this.flushes.delete(event.flushId);
    if (event.type === 'ClaimFailed') this.answered(event.program, false, now);
  }

  private answered(program: string, isGoingOn: boolean, now: number): void {
    this.underWay.delete(program);
    const mayClaimAgain = isGoingOn || this.wokenMeanwhile.delete(program);
    if (mayClaimAgain) this.emptyClaimAt.delete(program);
    else this.emptyClaimAt.set(program, now);
  }

  private see(effect: DeliveryEffect, now: number): string[] {
    if (effect.type === 'SetTimer') return effect.at > now ? [] : ['a timer in the past'];
    if (effect.type === 'Flush') this.flushes.add(effect.flushId);
    if (effect.type !== 'Claim') return [];
    const { program } = effect;
    const problems: string[] = [];
    if (this.underWay.has(program)) problems.push('two claims of one program at once');
    const emptyAt = this.emptyClaimAt.get(program) ?? -Infinity;
    if (now - emptyAt < this.settings.idlePollMs / 2) problems.push('a claim right after an empty one');
    this.underWay.add(program);
    return problems;
  }
}

/** Work may be due: who has just claimed in vain may claim again. */
function isWakeUp(event: DeliveryEvent): boolean {
  return event.type === 'Woken' ? event.isWorkLikely : event.type === 'Resumed' && event.count > 0;
}
