import type { SourceEvent } from '#contracts';
import { currencyDigits } from '#domain';

import { isPurchase } from './purchase.js';
import { type Warning, warning } from './warning.js';

/** Money whose amount depends on what both sides believe of its currency. */
export function moneyWarnings(event: SourceEvent): readonly Warning[] {
  const total = isPurchase(event) ? event.data.total : null;
  if (total === null || total === undefined) return [];
  const { currency, digits } = total;
  if (digits === undefined || digits === null) {
    return [warning('digits-missing', 'data.total.digits: left out, so that ISO 4217 decides; say it')];
  }
  if (digits === currencyDigits(currency)) return [];
  return [warning('digits-unusual', 'data.total.digits: not what ISO 4217 says of this currency')];
}
