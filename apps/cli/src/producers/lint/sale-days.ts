import type { RouteResult } from '#intents/core';
import { businessKeyText } from '#intents/core';

import type { Warning } from './warnings.js';
import { warning } from './warnings.js';

/** Purchase numbers that are remembered: some 200 bytes each. Those beyond are not compared. */
const numbersMax = 100_000;
const dayMs = 86_400_000;

/** The day (UTC) of each purchase number in one run: a number that comes again on another day shows receipts that begin anew. */
export class SaleDays {
  private readonly days = new Map<string, number>();

  /** @param timeMs of the event, epoch */
  warnings(route: RouteResult | null, timeMs: number): readonly Warning[] {
    const sale = route?.kind === 'routed' ? route.intents[0] : undefined;
    if (sale?.businessKey?.scope !== 'purchase') return [];
    const text = businessKeyText({ program: sale.program, key: sale.businessKey, generation: 1 });
    const day = Math.floor(timeMs / dayMs);
    const first = this.days.get(text);
    if (first === undefined && this.days.size < numbersMax) this.days.set(text, day);
    return first === undefined || first === day ? [] : [numberAgain];
  }
}

const numberAgain = warning(
  'number-again',
  'data.purchaseId: on another day, too, which is a conflict; where receipts begin again, purchaseKey needs what tells them apart',
);
