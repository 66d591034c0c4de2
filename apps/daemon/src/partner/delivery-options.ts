import type { Program } from '#contracts';
import { eventPlanner } from '#events';
import type { DeliveryModuleOptions, Observation } from '#outbox';
import { deliverySettings } from '#outbox';
import type { EventPlanner, PassNaming } from '#intents/core';
import type { Partner } from '#gateway';
import { passNamingOf } from '#gateway';
import type { Logger } from '#platform';
import { errorFields, keyedDigest } from '#platform';

import type { Configuration } from '../environment/configuration.module.js';
import type { Platform } from '../platform.module.js';
import type { Storage } from '../storage/storage.module.js';
import { fingerprinter } from '../storage/storage.module.js';

const memberTagDigits = 12;

/** A member in logs: a short keyed hash, the same in every line of one installation. */
function memberTag(macKey: Uint8Array, member: { readonly program: string; readonly memberId: string }): string {
  return keyedDigest(macKey, JSON.stringify([member.program, member.memberId]))
    .toString('hex')
    .slice(0, memberTagDigits);
}

/** One wide line per attempt: all that is known about it, nothing personal. */
export function logObservation(logger: Logger, macKey: Uint8Array, observation: Observation): void {
  if (observation.kind === 'fenced') {
    logger.warn({ ...observation }, 'lane was taken over while its attempt was open');
    return;
  }
  if (observation.kind === 'auto-paused') {
    logger.error(
      { ...observation },
      'the partner fails nearly all such calls: they are held, and one is tried now and then',
    );
    return;
  }
  if (observation.kind === 'auto-resumed') {
    logger.info({ ...observation }, 'the partner serves such calls again: they are held no more');
    return;
  }
  const [level, message] = wordsOf(observation);
  // The tag of a member costs more than all that is counted of a call.
  if (level === 'info' && logger.isLevelEnabled?.('info') === false) return;
  const { memberId, traceparent: _traceparent, ...fields } = observation;
  logger[level]({ ...fields, member: memberTag(macKey, { program: observation.program, memberId }) }, message);
}

type OfMember = Exclude<Observation, { readonly kind: 'fenced' | 'auto-paused' | 'auto-resumed' }>;

function wordsOf(observation: OfMember): readonly [level: 'info' | 'warn', message: string] {
  switch (observation.kind) {
    case 'parked':
      // Its hold is told once, and it comes back by itself.
      return observation.reason === 'held' ? ['info', 'intent stepped aside'] : ['warn', 'intent parked'];
    case 'resolved':
      return ['info', 'unknown outcome resolved'];
    case 'attempt':
      return observation.status === 'parked'
        ? ['warn', 'attempt recorded, intent parked']
        : ['info', 'attempt recorded'];
  }
}

/** Delivery on the daemon's storage: what it does is logged and counted. */
export function deliveryOptions(
  { environment, programs, dialects }: Configuration,
  { clock, random, database, keys }: Storage,
  { wake, logger, metrics, tracer, calls, callTally }: Platform,
  partner: Partner,
): DeliveryModuleOptions {
  const observe = (observation: Observation): void => {
    metrics.observe(observation);
    calls.observe(observation, clock.monotonic());
    callTally.observe(observation, clock.now());
    logObservation(logger, keys.mac, observation);
  };
  const onFailure = (operation: string, error: unknown): void => {
    logger.warn({ operation, ...errorFields(error) }, 'delivery will try again');
  };
  const namingOf = (program: Program): PassNaming => passNamingOf(program, dialects);
  const planner = (): EventPlanner => {
    const { file, hash } = programs.current;
    return eventPlanner(file, Buffer.from(hash).toString('hex'));
  };
  const { timeoutMs = 0 } = environment.wallet ?? {};
  const outside = { clock, random, database, partner, wake, keys: keys.members, macKey: keys.mac, tracer };
  return {
    ports: { ...outside, namingOf, planner, fingerprint: fingerprinter(keys), observe, onFailure },
    settings: deliverySettings(timeoutMs),
    programs: () => programs.current.file.programs,
  };
}
