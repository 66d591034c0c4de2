import { faultFreeDatabase } from '../database/database-server.js';
import { faultFreeBroker } from '../kafka/broker.js';
import { faultFreePartner } from '../partner/partner-weather.js';
import type { WeatherFault } from './fault.js';
import type { WeatherSpell } from './scenario.js';
import type { WorldContext } from './context.js';

type SetRate = (around: WorldContext, rate: number) => void;

const setters: Readonly<Record<WeatherFault, SetRate>> = {
  'db-fails-before': ({ database }, rate) => (database.weather.failsBefore = rate),
  'db-loses-acknowledgement': ({ database }, rate) => (database.weather.losesAcknowledgement = rate),
  'db-runs-after-failure': ({ database }, rate) => (database.weather.runsAfterFailure = rate),
  'db-breaks-off': ({ database }, rate) => (database.weather.breaksOff = rate),
  'db-contention': ({ database }, rate) => (database.weather.contends = rate),
  'db-slow': ({ database }, rate) => (database.weather.isSlow = rate),
  'connect-fails': ({ partner }, rate) => (partner.weather.failsToConnect = rate),
  'too-many': ({ partner }, rate) => (partner.weather.tooMany = rate),
  unauthorized: ({ partner }, rate) => (partner.weather.unauthorized = rate),
  'error-before': ({ partner }, rate) => (partner.weather.errorBefore = rate),
  'error-after': ({ partner }, rate) => (partner.weather.errorAfter = rate),
  'drop-before': ({ partner }, rate) => (partner.weather.dropBefore = rate),
  'drop-after': ({ partner }, rate) => (partner.weather.dropAfter = rate),
  'hang-before': ({ partner }, rate) => (partner.weather.hangBefore = rate),
  'hang-after': ({ partner }, rate) => (partner.weather.hangAfter = rate),
  'commit-late': ({ partner }, rate) => (partner.weather.commitLate = rate),
  'commit-twice': ({ partner }, rate) => (partner.weather.commitTwice = rate),
  truncated: ({ partner }, rate) => (partner.weather.truncated = rate),
  garbage: ({ partner }, rate) => (partner.weather.garbage = rate),
  empty: ({ partner }, rate) => (partner.weather.empty = rate),
  redirect: ({ partner }, rate) => (partner.weather.redirect = rate),
  oversized: ({ partner }, rate) => (partner.weather.oversized = rate),
  'maintenance-page': ({ partner }, rate) => (partner.weather.maintenance = rate),
  'already-busy': ({ partner }, rate) => (partner.weather.alreadyBusy = rate),
  hollow: ({ partner }, rate) => (partner.weather.hollow = rate),
  foreign: ({ partner }, rate) => (partner.weather.foreign = rate),
  'partner-slow': ({ partner }, rate) => (partner.weather.isSlow = rate),
  'stale-lookup': ({ partner }, rate) => (partner.weather.staleLookup = rate),
  'stale-pass': ({ partner }, rate) => (partner.weather.stalePass = rate),
  'token-down': ({ partner }, rate) => (partner.weather.tokenDown = rate),
  'fetch-fails': ({ broker }, rate) => (broker.weather.failsCalls = rate),
  'stale-batch': ({ broker }, rate) => (broker.weather.handsOverStale = rate),
  'early-fetch': ({ broker }, rate) => (broker.weather.fetchesBeforeSeek = rate),
  redelivery: ({ broker }, rate) => (broker.weather.redelivers = rate),
  'late-rebalance': ({ broker }, rate) => (broker.weather.reportsLate = rate),
  'control-records': ({ broker }, rate) => (broker.weather.writesControlRecords = rate),
  'produced-twice': ({ broker }, rate) => (broker.weather.losesProduceAcknowledgement = rate),
  'answers-otherwise': ({ partner }, rate) => (partner.weather.otherwise = rate),
  'duplicate-of-failed': ({ partner }, rate) => (partner.weather.failedDuplicate = rate),
  'coded-answers': ({ partner }, rate) => (partner.weather.coded = rate),
  'other-charset': ({ partner }, rate) => (partner.weather.otherCharset = rate),
};

/** Lets every spell of the scenario begin and end. */
export function schedule(around: WorldContext): void {
  for (const spell of around.scenario.spells) scheduleSpell(around, spell);
}

/** No fault strikes any more. */
export function calm({ database, partner, broker }: WorldContext): void {
  Object.assign(database.weather, faultFreeDatabase());
  Object.assign(partner.weather, faultFreePartner());
  Object.assign(broker.weather, faultFreeBroker());
}

function scheduleSpell(around: WorldContext, { fault, rate, from, until }: WeatherSpell): void {
  const { timeline, faultCounts } = around;
  timeline.after(from, `${fault} begins`, () => {
    setters[fault](around, rate);
    faultCounts.set(fault, (faultCounts.get(fault) ?? 0) + 1);
  });
  timeline.after(until, `${fault} ends`, () => {
    setters[fault](around, 0);
  });
}
