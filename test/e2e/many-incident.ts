import { programsFile } from './harness.js';
import { readLedger } from './partner.js';
import type { Emission } from './traffic.js';
import { emission, granted } from './traffic.js';

/** One store whose till says a number where the partner takes a text, and rewards whose answers prove nothing. */

export const wrongCount = 420;
export const doubtfulCount = 311;

const named = (letter: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${letter}-${index}`);

export const manyMembers = { wrong: named('w', wrongCount), doubtful: named('d', doubtfulCount) };

/** The campaign of a purchase is sent as it comes. */
export const mappedPrograms = programsFile
  .replace(
    'receipt: purchaseId }, uniqueAttribute',
    'receipt: purchaseId, campaign: attributes.campaign }, uniqueAttribute',
  )
  .replace('free-coffee: { id: "9001", pointsDelta: -10 }', 'free-coffee: "9001"');

/** The partner has to refuse everybody here: the pause that this causes would be another incident. */
export const manyPrograms = `${mappedPrograms}    autoPause: { sameRefusals: 1000000 }\n`;

/** A success that proves nothing, of what was done or was not: the partner is up, so that nothing is held for it. */
export const hollow = (applies: boolean): object => ({ operation: 'reward', kind: 'hollow', wording: 0, applies });

export const numbered = (memberId: string, index: number): Emission =>
  emission('purchases', 'purchase.completed', {
    ...{ id: `p-${memberId}`, memberId, purchaseId: `${memberId}-p`, channel: 'pos', storeId: 'lisboa-colombo' },
    ...{ total: { minor: 1_250, currency: 'EUR', digits: 2 }, lines: [], attributes: { campaign: 4_000 + index } },
  });

export const granting = (memberId: string): Emission => granted(memberId, `g-${memberId}`);

/** Whose calls of an operation have taken effect, each as often as it did. */
export async function atPartner(sandboxUrl: string, operation: string): Promise<string[]> {
  const entries = (await readLedger(sandboxUrl)).filter((entry) => entry.operation === operation);
  return entries.map(({ uniqueId, key }) => uniqueId ?? key ?? '?').toSorted();
}

export const brokenTill = '/pos/graz/till-3';

/** 600 purchases of one shop, of which one till says the amount as a text. */
export const tillMembers = { sound: named('s', 570), broken: named('t', 30) };

/** @param source who sends it: the broken till says a text where a number belongs */
export const sold = (memberId: string, source = '/pos/graz/till-1'): Emission => {
  const sale = emission('purchases', 'purchase.completed', {
    ...{ id: `p-${memberId}`, memberId, purchaseId: `${memberId}-p`, channel: 'pos', storeId: 'graz' },
    ...{ total: { minor: source === brokenTill ? '1250' : 1_250, currency: 'EUR', digits: 2 }, lines: [] },
  });
  const event = JSON.parse(String(sale.message.value)) as object;
  return { ...sale, message: { ...sale.message, value: JSON.stringify({ ...event, source }) } };
};
