import { type ReactNode } from 'react';

import { type Amount, moneyText } from './money-words.js';

/** An amount, or amounts by currency; a dash where there is none. */
export function Money({ of }: { readonly of: Amount | readonly Amount[] | null }): ReactNode {
  const amounts = of === null ? [] : 'minor' in of ? [of] : of;
  if (amounts.length === 0) return <span aria-label="no amount">–</span>;
  return amounts.map((amount, index) => (
    <span key={index} className="whole">
      {`${moneyText(amount)}${index === amounts.length - 1 ? '' : ', '}`}
    </span>
  ));
}
