import type { Answer } from '../api/api-types.js';

export type ManyAction = 'resubmit' | 'discard';
/** What became of those that one request tried. */
export type ManyPart = Answer<'/quarantine/resubmit', 'post'>;
/** What became of many records, all requests together. */
export type ManyResult = Omit<ManyPart, 'nextCursor'>;

export const nothingYet: ManyResult = { done: 0, failed: 0, skipped: 0, remaining: 0, failures: [] };

/** Adds what another request has done. */
export function addPart(before: ManyResult, part: ManyResult): ManyResult {
  return {
    done: before.done + part.done,
    failed: before.failed + part.failed,
    skipped: before.skipped + part.skipped,
    remaining: part.remaining,
    failures: [...before.failures, ...part.failures],
  };
}

const did: Readonly<Record<ManyAction, string>> = { resubmit: 'were taken in', discard: 'were given up' };

/** `12 were taken in, 3 stay refused`: what is not zero. */
export function resultWords({ done, failed, skipped, remaining }: ManyResult, action: ManyAction): string {
  const parts = [
    `${done.toLocaleString('en')} ${did[action]}`,
    ...(failed === 0 ? [] : [`${failed.toLocaleString('en')} stay refused`]),
    ...(skipped === 0 ? [] : [`${skipped.toLocaleString('en')} were dealt with by somebody else`]),
    ...(remaining === 0 ? [] : [`${remaining.toLocaleString('en')} not tried`]),
  ];
  return parts.join(', ');
}
