import type { Chance } from '../kernel/chance.js';
import type { CallName } from './partner-call.js';
import type { PartnerWeather } from './partner-weather.js';

type Rate = {
  [Key in keyof PartnerWeather]: PartnerWeather[Key] extends number ? Key : never;
}[keyof PartnerWeather];

/** What becomes of one request that has reached the partner. */
export type RequestFate = Rate | 'served';

const ofEverything: readonly Rate[] = [
  'tooMany',
  'unauthorized',
  'errorBefore',
  'errorAfter',
  'dropBefore',
  'dropAfter',
  'hangBefore',
  'hangAfter',
  'truncated',
  'garbage',
  'empty',
  'redirect',
  'oversized',
];
const ofWrites: readonly Rate[] = [...ofEverything, 'commitLate', 'commitTwice'];

/** Draws what becomes of a request; each kind by its own chance, the first that strikes counts. */
export function requestFate(name: CallName, weather: PartnerWeather, chance: Chance): RequestFate {
  if (name === 'token') return chance.happens(weather.tokenDown) ? 'tokenDown' : 'served';
  const rates = name === 'lookup' || name === 'list' ? ofEverything : ofWrites;
  return rates.find((rate) => chance.happens(weather[rate])) ?? 'served';
}
