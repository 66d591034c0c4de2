import type { QuarantinedDetails } from '#contracts';
import type { DeadLetter } from '#intents';

import { isJson, maskedText, maskPersonal } from '../masking/mask-personal.js';

export type ShownRecord = Pick<QuarantinedDetails, 'isReadable' | 'key' | 'headers' | 'value' | 'encoding'>;

/** Of a whole record batch nothing is shown: it was never taken apart. */
export function showBatch({ isUnreadable }: Pick<DeadLetter, 'isUnreadable'>): ShownRecord {
  return { isReadable: !isUnreadable, key: null, headers: '{}', value: null, encoding: 'batch' };
}

/** A record as it arrived, masked: what is no JSON may hold anything, and is not shown at all. */
export function showRecord({
  key,
  value,
  headersText,
  isUnreadable,
}: Pick<DeadLetter, 'key' | 'value' | 'headersText' | 'isUnreadable'>): ShownRecord {
  const text = value === null ? null : Buffer.from(value).toString('utf8');
  const isShown = text === null || isJson(text);
  return {
    isReadable: !isUnreadable,
    key: key === null ? null : Buffer.from(key).toString('utf8'),
    headers: maskPersonal(headersText) as string,
    value: isShown ? (maskPersonal(text) as string | null) : maskedText,
    encoding: isShown ? 'text' : 'masked',
  };
}
