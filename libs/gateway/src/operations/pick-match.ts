import type { PassReference } from '#domain';
import type { Dialect } from '../dialect/dialect-schema.js';
import { isJsonObject } from '../json/read-body.js';
import { passOwnership } from './pass-ownership.js';

/** Which pass a list of matches stands for. */
export type PickedMatch =
  | { readonly kind: 'picked'; readonly pass: unknown }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly code: 'empty-list' | 'several-passes' | 'foreign-pass' };

/**
 * The list that a lookup was answered with; `null` when it is one answer. Its shape is not shown (partner-api.md 4.1):
 * an array, or the listing's `{data: []}`.
 */
export function severalMatches(json: unknown): readonly unknown[] | null {
  if (Array.isArray(json)) return json as unknown[];
  return isJsonObject(json) && Array.isArray(json['data']) ? json['data'] : null;
}

/** Reads a list as the dialect says. */
export function pickMatch(matches: readonly unknown[], reference: PassReference, { lookup }: Dialect): PickedMatch {
  if (matches.length === 0) {
    return lookup.emptyList === 'absent' ? { kind: 'absent' } : { kind: 'failed', code: 'empty-list' };
  }
  if (lookup.severalMatches === 'failed') return { kind: 'failed', code: 'several-passes' };
  const [first, second] = candidates(matches, reference);
  if (first === undefined) return { kind: 'failed', code: 'foreign-pass' };
  const isAmbiguous = second !== undefined && lookup.severalMatches === 'ours';
  return isAmbiguous ? { kind: 'failed', code: 'several-passes' } : { kind: 'picked', pass: first };
}

/** A list of one is an answer like any other: it need not say whose pass it shows. */
function candidates(matches: readonly unknown[], reference: PassReference): readonly unknown[] {
  if (matches.length === 1) return matches;
  return matches.filter((match) => isJsonObject(match) && passOwnership(match, reference) === 'ours');
}
