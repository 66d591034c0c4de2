/**
 * Everything that can go wrong in a world, by name (the fault list of the design research, as far as one process can
 * show it). Each seed switches some of them on, each at a rate of its own.
 */
export const weatherFaults = {
  // The database, of each call.
  'db-fails-before': 0.15,
  'db-loses-acknowledgement': 0.2,
  'db-runs-after-failure': 0.15,
  'db-breaks-off': 0.2,
  'db-contention': 0.1,
  'db-slow': 0.1,
  // The way to the partner and the partner itself, of each request.
  'connect-fails': 0.3,
  'too-many': 0.3,
  unauthorized: 0.3,
  'error-before': 0.4,
  'error-after': 0.4,
  'drop-before': 0.4,
  'drop-after': 0.5,
  'hang-before': 0.2,
  'hang-after': 0.3,
  'commit-late': 0.5,
  'commit-twice': 0.3,
  truncated: 0.2,
  garbage: 0.2,
  empty: 0.2,
  redirect: 0.1,
  oversized: 0.1,
  'maintenance-page': 0.4,
  'already-busy': 0.3,
  hollow: 0.3,
  foreign: 0.3,
  'partner-slow': 0.3,
  'stale-lookup': 0.6,
  'stale-pass': 0.6,
  'token-down': 0.5,
  // Kafka, of each call or batch.
  'fetch-fails': 0.2,
  'stale-batch': 0.5,
  'early-fetch': 0.7,
  redelivery: 0.2,
  'late-rebalance': 0.6,
  'control-records': 0.3,
  'produced-twice': 0.3,
  // The partner, of each transaction: a yes that shows another one, and a refusal as duplicate of one that failed.
  'answers-otherwise': 0.3,
  'duplicate-of-failed': 0.4,
  // Of each answer: compressed unasked, or in Latin-1 with a letter that is no ASCII.
  'coded-answers': 0.5,
  'other-charset': 0.5,
} as const;

/** Happen at some moments; at most so often in a world. */
export const momentFaults = {
  'db-outage': 2,
  'partner-outage': 2,
  'broker-outage': 2,
  crash: 5,
  stop: 4,
  drain: 3,
  join: 2,
  'clock-jump': 4,
  reload: 3,
  rebalance: 5,
  'topic-recreated': 1,
  'partition-added': 1,
  'retention-gap': 2,
  pause: 3,
  'systemic-refusal': 2,
  // What people do by hand.
  'corrected-by-hand': 8,
} as const;

/**
 * What is no fault of anybody's, and not so in every shop. `gives-once`: rewards that are given once for a campaign, or in time.
 * `has-markets`: some tills write receipts in a form of their own, of which a map makes events.
 */
export const customs = ['gives-once', 'has-markets'] as const;

export type WeatherFault = keyof typeof weatherFaults;
export type MomentFault = keyof typeof momentFaults;
export type Custom = (typeof customs)[number];
export type Fault = WeatherFault | MomentFault | Custom;

/** What came later than the first worlds: they had none of it. */
export const later: readonly Fault[] = ['corrected-by-hand', 'gives-once', 'has-markets'];

export const weatherFaultNames = Object.keys(weatherFaults) as WeatherFault[];
export const momentFaultNames = Object.keys(momentFaults) as MomentFault[];
export const faultNames: readonly Fault[] = [...weatherFaultNames, ...momentFaultNames, ...customs];
