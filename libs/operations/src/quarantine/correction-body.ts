import type { QuarantineCorrection } from '#contracts';
import type { Correction } from '#intents';

import { refuseMasked } from '../masking/mask-personal.js';

/**
 * A correction as it was sent, in the form in which it is kept.
 *
 * @throws {ApiProblem} where it was copied from what is shown masked
 */
export function toCorrection(sent: QuarantineCorrection): Correction {
  refuseMasked(sent);
  const { key, headers, value } = sent;
  return {
    ...(key === undefined ? {} : { key }),
    ...(headers === undefined ? {} : { headersText: JSON.stringify(headers) }),
    ...(value === undefined ? {} : { value: typeof value === 'string' ? value : JSON.stringify(value) }),
  };
}
