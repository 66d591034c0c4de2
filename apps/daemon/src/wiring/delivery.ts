import type { Environment } from '#contracts';
import { DeliveryLoop, deliverySettings } from '#delivery';
import type { Observation } from '#delivery';
import type { Partner } from '#gateway';
import type { Logger, Tracer, Wake } from '#platform';
import { errorFields } from '#platform';

import type { DaemonMetrics } from '../metrics/daemon-metrics.js';
import { registerGateMetrics } from '../metrics/gate-metrics.js';
import { logObservation } from '../metrics/log-observation.js';
import { fingerprinter } from './fingerprint.js';
import type { Storage } from './storage.js';

export interface DeliveryTools {
  readonly wake: Wake;
  readonly logger: Logger;
  readonly metrics: DaemonMetrics;
  readonly tracer: Tracer;
}

/** The delivery loop on the daemon's storage, not yet started. */
export function createDelivery(
  environment: Environment,
  parts: { readonly storage: Storage; readonly partner: Partner },
  tools: DeliveryTools,
): DeliveryLoop {
  const { storage, partner } = parts;
  const { wake, logger, metrics, tracer } = tools;
  const { clock, random, database, keys } = storage;
  const observe = (observation: Observation): void => {
    metrics.observe(observation);
    logObservation(logger, keys.mac, observation);
  };
  const onTrouble = (operation: string, error: unknown): void => {
    logger.warn({ operation, ...errorFields(error) }, 'delivery will try again');
  };
  const { timeoutMs = 0, sendsTraceparent = false } = environment.wallet ?? {};
  const fingerprint = fingerprinter(storage);
  const outside = { clock, random, database, partner, wake, keys: keys.members, tracer };
  const ports = { ...outside, sendsTraceparent, fingerprint, observe, onTrouble };
  const loop = new DeliveryLoop(ports, deliverySettings(timeoutMs));
  registerGateMetrics(metrics.registry, () => loop.gates);
  return loop;
}
