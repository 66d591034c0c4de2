import type { BrowsedRecord, ResubmitResult } from '#intents';

import { ApiProblem } from '../problems/api-problem.js';
import { isoTime } from '../requests/iso-time.js';

export function noSuchRecord(): ApiProblem {
  return new ApiProblem({ status: 404, code: 'no-such-record', title: 'There is no such record in quarantine' });
}

/** Says who was faster. */
export function alreadySettled(record: BrowsedRecord | null): ApiProblem {
  const { state, settlement } = record ?? { state: 'settled', settlement: null };
  const by = settlement === null ? '' : ` by ${settlement.actor} at ${isoTime(settlement.at)}: ${settlement.reason}`;
  const title = 'Somebody has dealt with this record already';
  return new ApiProblem({ status: 409, code: `already-${state}`, title, detail: `It was ${state}${by}` });
}

const bytesLost = {
  status: 409,
  code: 'bytes-lost',
  title: 'The record cannot be read any more',
  detail: 'No key opens its bytes. Send a whole corrected record with headers and value, or discard it.',
};

const otherCell = {
  status: 422,
  code: 'other-cell',
  title: 'The record is not for this deployment',
  detail: 'Its member belongs to another cell: produce it to its topic, where the right one takes it.',
};

const batch = {
  status: 422,
  code: 'record-batch',
  title: 'This is a whole record batch, not a record',
  detail:
    'It was too large to be taken apart, or is damaged. Have its producer send the records again, in smaller batches, ' +
    'then discard it.',
};

/** Why a record stays in quarantine as it is. A conflict is with what was recorded before, the rest with the record. */
export function notResubmitted(
  refused: Extract<ResubmitResult, { kind: 'lost' } | { kind: 'other-cell' } | { kind: 'batch' } | { kind: 'refused' }>,
): ApiProblem {
  switch (refused.kind) {
    case 'lost':
      return new ApiProblem(bytesLost);
    case 'other-cell':
      return new ApiProblem(otherCell);
    case 'batch':
      return new ApiProblem(batch);
    case 'refused': {
      const title = 'The record would be set aside again';
      const detail = `${refused.reason}: ${refused.detail}`;
      return new ApiProblem({
        status: refused.reason === 'conflict' ? 409 : 422,
        code: 'still-refused',
        title,
        detail,
      });
    }
  }
}
