import type { JobWork } from '../jobs/job-kind.js';
import type { PartnerReaderTools } from '../partner-reading/partner-reader.js';
import { PartnerReader } from '../partner-reading/partner-reader.js';
import { clearingTurn } from './clearing-turn.js';
import { listingTurn } from './listing-turn.js';
import { oursTurn } from './ours-turn.js';
import { cursorOf } from './reconciliation-cursor.js';

/**
 * Holds a program's passes at the partner against ours, in bounded memory: the listing page by page, then those of ours
 * that it did not show, each confirmed by a lookup before it is reported (design.md section 8).
 */
export function reconciliationWork(tools: PartnerReaderTools): JobWork {
  const reader = new PartnerReader(tools);
  return {
    kind: 'reconciliation',
    turn: async (job) => {
      const cursor = cursorOf(job);
      switch (cursor.phase) {
        case 'listing':
          return listingTurn(reader, job, cursor);
        case 'ours':
          return oursTurn(reader, job, cursor);
        case 'clearing':
          return clearingTurn(reader, job, cursor);
      }
    },
  };
}
