import type { Clock } from '#platform';

import type { DeliveryEffect } from './engine/messages.js';
import type { DeliverySettings } from './settings.js';

export type EffectType = DeliveryEffect['type'];

interface OpenEffect {
  readonly type: EffectType;
  readonly task: Promise<void>;
  /** Monotonic. */
  readonly since: number;
  /** Its place. */
  at: number;
}

/** The effects that have left the process and have not returned yet. */
export class EffectsUnderWay {
  /** In no order. */
  private readonly open: OpenEffect[] = [];
  private endedAt: number;

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {
    this.endedAt = clock.monotonic();
  }

  add(type: EffectType, task: Promise<void>): void {
    const effect = { type, task, since: this.clock.monotonic(), at: this.open.length };
    this.open.push(effect);
    const end = (): void => {
      this.remove(effect);
      this.endedAt = this.clock.monotonic();
    };
    task.then(end, end);
  }

  /** The last takes its place. */
  private remove(effect: OpenEffect): void {
    const last = this.open.pop();
    if (last === undefined || last === effect) return;
    last.at = effect.at;
    this.open[last.at] = last;
  }

  get all(): readonly Promise<void>[] {
    return this.open.map(({ task }) => task);
  }

  /** For how many milliseconds the oldest of these has been under way; null: none is. */
  oldestMs(types: ReadonlySet<EffectType>): number | null {
    const now = this.clock.monotonic();
    const ages = this.open.filter(({ type }) => types.has(type)).map(({ since }) => now - since);
    return ages.length === 0 ? null : Math.max(...ages);
  }

  /** Milliseconds since one ended; at first, since the beginning. */
  get idleMs(): number {
    return this.clock.monotonic() - this.endedAt;
  }
}

/** A statement ends after 30 s, and a transaction is repeated 4 times at most. */
export const databaseEffectMsMax = 300_000;
/** On top of the timeouts of a lookup's two requests and of the token that they wait for. */
export const callSlackMs = 120_000;
/** On top of the lease: a lane that waits for its turn is released within the lease. */
export const unmovedSlackMs = 120_000;

const requestsPerLookup = 2;

const databaseEffects: ReadonlySet<EffectType> = new Set([
  'Claim',
  'FindBegun',
  'Flush',
  'Release',
  'Coordinate',
  'SetPause',
  'LiftHold',
  'Resume',
  'Recall',
]);
const calls: ReadonlySet<EffectType> = new Set(['Send', 'Lookup']);
/** What a held lane can be waiting for. */
const laneEffects: ReadonlySet<EffectType> = new Set(['Claim', 'FindBegun', 'Flush', 'Release', 'Send', 'Lookup']);

/**
 * The parts of delivery that make no progress although they could: only a new process would help. Neither a partner nor
 * a database that is away is a stall: calls end by their timeouts, and work continues by itself afterwards.
 * @param isDatabaseSteady it has answered others for a while
 */
export function deliveryStalls(
  parts: {
    readonly effects: Pick<EffectsUnderWay, 'oldestMs' | 'idleMs'>;
    readonly lanesHeld: number;
    readonly settings: Pick<DeliverySettings, 'leaseMs' | 'partnerTimeoutMs'>;
  },
  isDatabaseSteady: boolean,
): string[] {
  const { effects, lanesHeld, settings } = parts;
  const callMsMax = requestsPerLookup * settings.partnerTimeoutMs + callSlackMs;
  const isIdle = lanesHeld > 0 && effects.oldestMs(laneEffects) === null;
  const stalls: [boolean, string][] = [
    [isDatabaseSteady && (effects.oldestMs(databaseEffects) ?? 0) > databaseEffectMsMax, 'a statement does not end'],
    [(effects.oldestMs(calls) ?? 0) > callMsMax, 'a call to the partner does not end'],
    [isIdle && effects.idleMs > settings.leaseMs + unmovedSlackMs, 'it holds lanes and does nothing'],
  ];
  return stalls.flatMap(([isStall, problem]) => (isStall ? [`delivery: ${problem}`] : []));
}
