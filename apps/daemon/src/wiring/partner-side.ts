import type { Environment } from '#contracts';
import type { DeliveryLoop } from '#delivery';
import type { DialectRegistry, Gateway } from '#gateway';

import type { LiveEnvironment } from '../environment/live-environment.js';
import type { DeliveryTools } from './delivery.js';
import { createDelivery } from './delivery.js';
import { openGateway } from './gateway.js';
import type { Storage } from './storage.js';

/** What speaks to the partner in this process; null where it has no need to. */
export interface PartnerSide {
  readonly gateway: Gateway | null;
  readonly delivery: DeliveryLoop | null;
}

/** Delivery needs the partner; operations uses it where it is told of one: jobs ask it. */
function usesPartner({ roles, wallet }: Environment): boolean {
  return roles.includes('delivery') || (roles.includes('operations') && wallet !== null);
}

/** The gateway, and delivery on it, not yet started. */
export function openPartnerSide(
  live: Pick<LiveEnvironment, 'current'>,
  parts: { readonly storage: Storage; readonly dialects: DialectRegistry },
  tools: DeliveryTools,
): PartnerSide {
  const environment = live.current;
  if (!usesPartner(environment)) return { gateway: null, delivery: null };
  const { storage, dialects } = parts;
  const gateway = openGateway(live, dialects, { clock: storage.clock, logger: tools.logger });
  if (!environment.roles.includes('delivery')) return { gateway, delivery: null };
  return { gateway, delivery: createDelivery(environment, { storage, partner: gateway.partner }, tools) };
}
