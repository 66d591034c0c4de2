import type { CorrectedView } from '#contracts';
import type { Correction, DeadLetter } from '#intents';

import { maskedText } from '../masking/mask-personal.js';
import { changedPaths } from './changed-paths.js';
import type { ShownRecord } from './show-record.js';
import { showRecord } from './show-record.js';

type Content = Pick<DeadLetter, 'key' | 'value' | 'headersText' | 'isUnreadable'>;

const lost: CorrectedView = {
  ...{ isReadable: false, key: null, headers: '{}', value: null, encoding: 'text' },
  ...{ changes: [], hasMoreChanges: false },
};

function corrected(original: Content, { key, headersText, value }: Correction): Content {
  return {
    key: key === undefined ? original.key : Buffer.from(key),
    headersText: headersText ?? original.headersText,
    value: value === undefined ? original.value : Buffer.from(value),
    isUnreadable: original.isUnreadable && (headersText === undefined || value === undefined),
  };
}

function parsed(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** What is compared, and what is shown of it. */
function documents(content: Content, shown: ShownRecord): { readonly whole: object; readonly masked: object } {
  const text = content.value === null ? null : Buffer.from(content.value).toString('utf8');
  const isMasked = shown.encoding === 'masked';
  return {
    whole: { key: shown.key, headers: parsed(content.headersText), value: isMasked ? text : parsed(text) },
    masked: {
      key: shown.key,
      headers: parsed(shown.headers),
      value: isMasked ? maskedText : parsed(shown.value),
    },
  };
}

/** What a record was taken for instead of what arrived, and in what it differs; what is personal is masked. */
export function showCorrected(original: Content, correction: Correction | 'lost'): CorrectedView {
  if (correction === 'lost') return lost;
  const content = corrected(original, correction);
  const shown = showRecord(content);
  const difference = changedPaths(documents(original, showRecord(original)), documents(content, shown));
  return { ...shown, ...difference };
}
