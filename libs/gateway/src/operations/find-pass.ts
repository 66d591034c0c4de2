import type { PassLookup } from '../port/pass-operations.js';
import type { PlannedRequest } from '../wallet/planned-request.js';
import { programPath, queryText } from '../wallet/request-path.js';

/** 4.1 Get wallet pass by unique identifier. @throws InvalidRequest */
export function planLookup(lookup: PassLookup): PlannedRequest {
  const { by, uniqueId } = lookup;
  const query =
    by === undefined
      ? queryText([['unique_id', uniqueId, 'uniqueId']])
      : queryText([[by.parameter, by.value, 'by.value']]);
  return { method: 'GET', path: `${programPath(lookup)}/wallets${query}`, body: null };
}
