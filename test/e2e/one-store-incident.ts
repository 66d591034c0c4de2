import { mappedPrograms } from './many-incident.js';
import type { Emission } from './traffic.js';
import { emission } from './traffic.js';

/** One store whose till says a number where the partner takes a text, among others that sell as ever. */

const sickStore = 'lisboa-colombo';
export const sickFactor = `store:${sickStore}`;

/** @param sameRefusals so few refused members make a hold */
export const oneStorePrograms = (sameRefusals: number): string =>
  `${mappedPrograms}    autoPause: { sameRefusals: ${sameRefusals} }\n`;

export const membersNamed = (letter: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${letter}-${index}`);

function sold(memberId: string, storeId: string, campaign: string | number): Emission {
  return emission('purchases', 'purchase.completed', {
    ...{ id: `p-${memberId}`, memberId, purchaseId: `${memberId}-p`, channel: 'pos', storeId },
    ...{ total: { minor: 1_250, currency: 'EUR', digits: 2 }, lines: [], attributes: { campaign } },
  });
}

/** The partner refuses it. */
export const soldSick = (memberId: string): Emission => sold(memberId, sickStore, 4_711);
/** The partner takes it. */
export const soldWell = (memberId: string): Emission => sold(memberId, 'hamburg', 'autumn');
