import { parseProgramsFile } from '#contracts';
import { digest } from '#platform';

import type { RoutingPrograms } from '../loop/chunk-recorder.js';

const text = `
programs:
  coffee-club:
    brandId: "101"
    programId: "2001"
    currency: EUR
    enrolment: { via: issue }
    update: { via: workflow, workflowId: "78" }
    tiers: { basic: 1, gold: 2 }
    purchases:
      completed: { transactionTypeId: "31", attributes: { store: storeId, receipt: purchaseId, campaign: attributes.campaign }, uniqueAttribute: receipt, uniqueEnforced: true }
      refunded: { transactionTypeId: "32", sign: -1, attributes: { receipt: refundId, of: purchaseId }, uniqueAttribute: receipt }
    rewards: { free-coffee: { id: "9001", pointsDelta: -10 } }
`;

/** One program that maps every event but voids and revocations. */
export function testPrograms(): RoutingPrograms {
  const result = parseProgramsFile(text);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return { file: result.value, hash: digest(result.canonicalText) };
}
