import type { SourceEvent } from '#contracts';

import { type Warning, warning } from './warning.js';

/** `key` is `undefined` where the sample is an event alone, which does not say what the key will be. */
export function keyWarnings({ data }: SourceEvent, key: string | null | undefined): readonly Warning[] {
  const memberId = data.memberId ?? '';
  if (memberId === '') return [warning('no-member', 'data.memberId: absent, so that nothing is sent to the partner')];
  if (key === undefined || key === memberId) return [];
  return key === null
    ? [warning('no-key', 'key: missing; the order of the member’s events is then your risk')]
    : [warning('other-key', 'key: not the memberId; the order of the member’s events is then your risk')];
}
