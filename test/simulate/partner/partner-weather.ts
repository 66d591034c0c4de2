import type { Chance } from '#shop';
import type { CallName } from './partner-call.js';

/** What befalls requests just now; probabilities of each request. See contracts.md section 9 for the kinds. */
interface PartnerWeather {
  /** Nobody can reach it. */
  isDown: boolean;
  /** Nothing is handed to a socket: DNS, refused, TLS, connect timeout. */
  failsToConnect: number;
  tooMany: number;
  unauthorized: number;
  errorBefore: number;
  errorAfter: number;
  dropBefore: number;
  dropAfter: number;
  hangBefore: number;
  hangAfter: number;
  commitLate: number;
  commitTwice: number;
  truncated: number;
  garbage: number;
  empty: number;
  redirect: number;
  oversized: number;
  /** A page that says 200, from a gateway in front of a partner that is down: nothing is done. */
  maintenance: number;
  /** A refusal with the word "already", or of a value, that is not one of a duplicate: nothing is done. */
  alreadyBusy: number;
  /** A success with an object that proves nothing, whether or not there was one. */
  hollow: number;
  /** Another member's pass, likewise. */
  foreign: number;
  /** A success that shows another transaction than the one that was sent, whether or not there was one. */
  otherwise: number;
  /** A refusal as duplicate of one that failed: nothing is done, nor was. */
  failedDuplicate: number;
  /** Whatever is answered, its body is compressed, which nobody asked for. */
  coded: number;
  /** Likewise in Latin-1, with a letter that is no ASCII. */
  otherCharset: number;
  isSlow: number;
  staleLookup: number;
  /** A transaction or reward that does not see a pass issued a moment ago. */
  stalePass: number;
  tokenDown: number;
  /** The operation that is refused for everybody, in the same words. */
  systemic: string | null;
}

export function faultFreePartner(): PartnerWeather {
  return {
    isDown: false,
    failsToConnect: 0,
    tooMany: 0,
    unauthorized: 0,
    errorBefore: 0,
    errorAfter: 0,
    dropBefore: 0,
    dropAfter: 0,
    hangBefore: 0,
    hangAfter: 0,
    commitLate: 0,
    commitTwice: 0,
    truncated: 0,
    garbage: 0,
    empty: 0,
    redirect: 0,
    oversized: 0,
    maintenance: 0,
    alreadyBusy: 0,
    hollow: 0,
    foreign: 0,
    otherwise: 0,
    failedDuplicate: 0,
    coded: 0,
    otherCharset: 0,
    isSlow: 0,
    staleLookup: 0,
    stalePass: 0,
    tokenDown: 0,
    systemic: null,
  };
}

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
  'maintenance',
  'hollow',
];
const ofWrites: readonly Rate[] = ['commitLate', 'commitTwice', 'alreadyBusy'];
const ofTransactions: readonly Rate[] = ['otherwise', 'failedDuplicate'];

/** What is answered with one pass. */
const showPasses: readonly CallName[] = ['lookup', 'issue', 'issue-via-workflow', 'update-via-workflow', 'reward'];

/** Draws what becomes of a request; each kind by its own chance, the first that strikes counts. */
export function requestFate(name: CallName, weather: PartnerWeather, chance: Chance): RequestFate {
  if (name === 'token') return chance.happens(weather.tokenDown) ? 'tokenDown' : 'served';
  const isRead = name === 'lookup' || name === 'list';
  const foreign: readonly Rate[] = showPasses.includes(name) ? ['foreign'] : [];
  const own = name === 'transaction' ? ofTransactions : [];
  const rates = [...ofEverything, ...foreign, ...(isRead ? [] : ofWrites), ...own];
  return rates.find((rate) => chance.happens(weather[rate])) ?? 'served';
}
