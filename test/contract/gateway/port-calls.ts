import type { CallName } from '../reading/specification.js';
import * as administration from './administration-calls.js';
import { reward, transaction } from './effect-calls.js';
import { list } from './listing-call.js';
import * as passes from './pass-calls.js';
import type { PortCall } from './port-call.js';

/** The port asks for a token by itself; that it can be told to shows what came of it. */
const token: PortCall = {
  make: async (_step, { partner, options }) => {
    const report = await partner.checkToken(options);
    const isYes = report.kind === 'granted';
    return { isYes, verdict: report.kind, body: {}, shapeAlarms: isYes ? report.shapeAlarms : [] };
  },
};

/** Every call of the specification, said to the port. */
export const portCalls: Readonly<Record<CallName, PortCall>> = {
  token,
  lookup: passes.lookup,
  issue: passes.issue,
  'issue-via-workflow': passes.issueViaWorkflow,
  'update-via-workflow': passes.updateViaWorkflow,
  'schedule-update': passes.scheduleUpdate,
  list,
  reward,
  transaction,
  'update-transaction-type': administration.updateTransactionType,
  'create-transaction-attribute': administration.createTransactionAttribute,
  'create-brand-attribute': administration.createBrandAttribute,
  'update-brand-attribute': administration.updateBrandAttribute,
  'create-template': administration.createTemplate,
  'update-brand': administration.updateBrand,
};
