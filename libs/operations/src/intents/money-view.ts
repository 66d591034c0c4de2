import type { MoneyView } from '#contracts';

/**
 * An amount, or a sum, with the digits that it has.
 * @param amount exact decimal text as Postgres writes a `numeric`, `5999.00`: a sum has the digits of its longest part
 */
export function toMoneyView(amount: string, currency: string): MoneyView {
  const point = amount.indexOf('.');
  const digits = point === -1 ? 0 : amount.length - point - 1;
  return { minor: Number(amount.replace('.', '')), currency, digits };
}
