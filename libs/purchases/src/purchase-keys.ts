import type { Mapped, Routing } from '#events/core';
import { keyParts, withOwnNumber } from '#events/core';
import type { BusinessKey } from '#intents/core';

/**
 * Business keys (contracts.md section 1, Identity). The program's `purchaseKey` widens the till's number by what makes
 * it unique; for a refund or a grant its own number stands where `purchaseId` stands.
 */
export function purchaseKeyOf(routing: Routing, scope: 'purchase' | 'void'): Mapped<BusinessKey> {
  return tillKey(routing, { scope, ownNumber: 'purchaseId' });
}

/**
 * The key of the purchase that a refund or void means, or that of its own void: as `data.original` names it, with every
 * part, else by the event's own data.
 */
export function originalKeyOf(routing: Routing, scope: 'purchase' | 'void'): Mapped<BusinessKey> {
  const { data } = routing.event;
  const original = 'original' in data ? data.original : null;
  return typeof original === 'object' && original !== null
    ? tillKey(routing, { scope, ownNumber: 'purchaseId', within: ['original'] })
    : purchaseKeyOf(routing, scope);
}

export function refundKeyOf(routing: Routing): Mapped<BusinessKey> {
  return tillKey(routing, { scope: 'refund', ownNumber: 'refundId' });
}

interface TillKey {
  readonly scope: BusinessKey['scope'];
  readonly ownNumber: string;
  /** Where in the data its parts are; absent: in the data itself. */
  readonly within?: readonly string[];
}

function tillKey({ event, program }: Routing, { scope, ownNumber, within = [] }: TillKey): Mapped<BusinessKey> {
  const paths = program.purchaseKey.map((path) => [...within, ...withOwnNumber(path, ownNumber)]);
  const parts = keyParts(event.data, paths, 'purchaseKey');
  return parts.ok ? { ok: true, value: { scope, parts: parts.value, perGeneration: false } } : parts;
}
