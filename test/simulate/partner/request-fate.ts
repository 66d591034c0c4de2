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
  'hollow',
];
const ofWrites: readonly Rate[] = ['commitLate', 'commitTwice'];

/** What is answered with one pass. */
const showPasses: readonly CallName[] = ['lookup', 'issue', 'issue-via-workflow', 'update-via-workflow', 'reward'];

/** Draws what becomes of a request; each kind by its own chance, the first that strikes counts. */
export function requestFate(name: CallName, weather: PartnerWeather, chance: Chance): RequestFate {
  if (name === 'token') return chance.happens(weather.tokenDown) ? 'tokenDown' : 'served';
  const isRead = name === 'lookup' || name === 'list';
  const foreign: readonly Rate[] = showPasses.includes(name) ? ['foreign'] : [];
  const rates = [...ofEverything, ...foreign, ...(isRead ? [] : ofWrites)];
  return rates.find((rate) => chance.happens(weather[rate])) ?? 'served';
}
