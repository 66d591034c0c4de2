import type { EffectsUnderWay, EffectType } from './effects-under-way.js';
import type { DeliverySettings } from './settings.js';

/** A statement ends after 30 s, and a transaction is repeated 4 times at most. */
export const databaseEffectMsMax = 300_000;
/** On top of the timeouts of a lookup's two requests and of the token that they wait for. */
export const callSlackMs = 120_000;
/** On top of the lease, within which whoever waits for a turn goes back. */
export const unmovedSlackMs = 120_000;

const requestsPerLookup = 2;

const databaseEffects: ReadonlySet<EffectType> = new Set([
  'Claim',
  'Flush',
  'Release',
  'Coordinate',
  'SetPause',
  'Recall',
]);
const calls: ReadonlySet<EffectType> = new Set(['Send', 'Lookup']);
/** What a lane in our hands can be waiting for. */
const laneEffects: ReadonlySet<EffectType> = new Set(['Claim', 'Flush', 'Release', 'Send', 'Lookup']);

/**
 * What of delivery stands still although it could move: only a new process would help. Neither a partner nor a database
 * that is away is a stall: calls end by their timeouts, and everything goes on by itself afterwards.
 * @param isDatabaseSteady it has answered others for a while
 */
export function deliveryStalls(
  parts: {
    readonly effects: Pick<EffectsUnderWay, 'oldestMs' | 'restMs'>;
    readonly lanesHeld: number;
    readonly settings: Pick<DeliverySettings, 'leaseMs' | 'partnerTimeoutMs'>;
  },
  isDatabaseSteady: boolean,
): string[] {
  const { effects, lanesHeld, settings } = parts;
  const callMsMax = requestsPerLookup * settings.partnerTimeoutMs + callSlackMs;
  const isResting = lanesHeld > 0 && effects.oldestMs(laneEffects) === null;
  const stalls: [boolean, string][] = [
    [isDatabaseSteady && (effects.oldestMs(databaseEffects) ?? 0) > databaseEffectMsMax, 'a statement does not end'],
    [(effects.oldestMs(calls) ?? 0) > callMsMax, 'a call to the partner does not end'],
    [isResting && effects.restMs > settings.leaseMs + unmovedSlackMs, 'it holds lanes and does nothing'],
  ];
  return stalls.flatMap(([isStall, problem]) => (isStall ? [`delivery: ${problem}`] : []));
}
