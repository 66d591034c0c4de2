import type { TransactionMapping } from '#contracts';
import { pathsOf } from '#contracts';
import type { Money, Routing } from '#events/core';
import { amountText, valueAt } from '#events/core';
import type { JsonValue } from '#intents/core';
import { canonicalJson, nobody } from '#intents/core';

import type { Completed, Refunded, Voided } from '../purchase-events.js';

type Purchase = Completed | Refunded | Voided;

/** What is compared of a total, between what takes back and its purchase as between repetitions. */
export function totalText(total: Money): string {
  return `${amountText(total, 1)} ${total.currency}`;
}

/** A till's ways to say that there is none are one. */
const orNull = (value: JsonValue | undefined): JsonValue => (value === undefined || value === '' ? null : value);

/**
 * What must be equal when an event's `source` and `id` come again: what the receipt is judged by. A field more, or one that
 * is only written otherwise, makes no other event. Its time is not among it: a till that sends again may say when it did so.
 */
export function judgedContent({ data }: { readonly data: Purchase['data'] }): JsonValue {
  const { program, memberId, purchaseId, storeId, total } = data;
  const refundId = 'refundId' in data ? (data.refundId as string) : null;
  const original = 'original' in data ? data.original : null;
  return [
    program,
    orNull(memberId),
    purchaseId,
    refundId,
    orNull(storeId),
    total ? totalText(total) : null,
    (original ?? null) as JsonValue,
  ];
}

/**
 * What must be equal when the number of a sale or refund comes under another event id, so that it is the same told again:
 * member, total, store, time, and what the program maps. Anything else is for a person: perhaps another sale under a number
 * used twice. Holds personal values.
 */
export function saleContent({ event, memberId }: Routing<Purchase>, mapping: TransactionMapping): string {
  const paths = Object.values(mapping.attributes).flatMap(pathsOf);
  const mapped = new Map(paths.map((path) => [path.join('.'), orNull(valueAt(event.data, path))]));
  const judged = judgedContent(event);
  const of = memberId === nobody ? null : memberId;
  return canonicalJson([of, judged, event.timeMs, Object.fromEntries(mapped)]);
}

/** A void is the same whoever tells of it, when and why: its sale's number says what is voided. */
export function voidContent({ event: { data } }: Routing<Voided>): string {
  const { total } = data;
  return canonicalJson(total ? totalText(total) : null);
}
