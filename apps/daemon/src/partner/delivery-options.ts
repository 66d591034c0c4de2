import type { DeliveryModuleOptions, Observation } from '#delivery';
import { deliverySettings } from '#delivery';
import type { Partner } from '#gateway';
import { errorFields } from '#platform';

import type { Configuration } from '../environment/configuration.module.js';
import { logObservation } from '../metrics/log-observation.js';
import type { Platform } from '../platform.module.js';
import type { Storage } from '../storage/storage.module.js';
import { fingerprinter } from '../storage/storage.module.js';

/** Delivery on the daemon's storage: what it does is logged and counted. */
export function deliveryOptions(
  { environment, programs }: Configuration,
  { clock, random, database, keys }: Storage,
  { wake, logger, metrics, tracer }: Platform,
  partner: Partner,
): DeliveryModuleOptions {
  const observe = (observation: Observation): void => {
    metrics.observe(observation);
    logObservation(logger, keys.mac, observation);
  };
  const onTrouble = (operation: string, error: unknown): void => {
    logger.warn({ operation, ...errorFields(error) }, 'delivery will try again');
  };
  const { timeoutMs = 0, sendsTraceparent = false } = environment.wallet ?? {};
  const outside = { clock, random, database, partner, wake, keys: keys.members, tracer };
  return {
    ports: { ...outside, sendsTraceparent, fingerprint: fingerprinter(keys), observe, onTrouble },
    settings: deliverySettings(timeoutMs),
    programs: () => programs.current.file.programs,
  };
}
