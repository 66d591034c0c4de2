import type { QuarantineCorrection } from '#contracts';
import type { Correction } from '#intents';

/** A correction as it was sent, in the form in which it is kept. */
export function toCorrection({ key, headers, value }: QuarantineCorrection): Correction {
  return {
    ...(key === undefined ? {} : { key }),
    ...(headers === undefined ? {} : { headersText: JSON.stringify(headers) }),
    ...(value === undefined ? {} : { value: typeof value === 'string' ? value : JSON.stringify(value) }),
  };
}
