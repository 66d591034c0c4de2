import type { SourceEvent, SourceEventOf } from '#contracts';

export type Purchase =
  | SourceEventOf<'loyalty.purchase.completed.v1'>
  | SourceEventOf<'loyalty.purchase.refunded.v1'>
  | SourceEventOf<'loyalty.purchase.voided.v1'>;

/** The events with money and attributes. */
export function isPurchase(event: SourceEvent): event is Purchase {
  return event.name.startsWith('loyalty.purchase.');
}
