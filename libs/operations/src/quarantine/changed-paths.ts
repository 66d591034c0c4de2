import type { CorrectedView } from '#contracts';

type Change = CorrectedView['changes'][number];

/** Changes shown, at most. */
export const changesShownMax = 200;

/** Something, and what may be shown of it: of the same shape, as far as nothing of it is masked. */
export interface MaskedPair {
  readonly whole: unknown;
  readonly masked: unknown;
}

const absent = Symbol('absent');

function isNested(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function member({ whole, masked }: MaskedPair, name: string): MaskedPair {
  const isThere = isNested(whole) && Object.hasOwn(whole, name);
  // Below what is masked as a whole everything is.
  return { whole: isThere ? whole[name] : absent, masked: isNested(masked) ? masked[name] : masked };
}

function namesOf(...values: readonly unknown[]): string[] {
  return [...new Set(values.flatMap((value) => (isNested(value) ? Object.keys(value) : [])))];
}

function isComparable(one: unknown, other: unknown): boolean {
  return isNested(one) && isNested(other) && Array.isArray(one) === Array.isArray(other);
}

/** Depth is bounded by what is read as JSON at all. */
function* differences(path: string, from: MaskedPair, to: MaskedPair): Generator<Change> {
  if (Object.is(from.whole, to.whole)) return;
  if (isComparable(from.whole, to.whole)) {
    for (const name of namesOf(from.whole, to.whole)) {
      yield* differences(path === '' ? name : `${path}.${name}`, member(from, name), member(to, name));
    }
    return;
  }
  if (from.whole === absent) yield { path, change: 'added', from: null, to: to.masked };
  else if (to.whole === absent) yield { path, change: 'removed', from: from.masked, to: null };
  else yield { path, change: 'changed', from: from.masked, to: to.masked };
}

/** In what two things differ, path by path; shown is only what is masked. */
export function changedPaths(from: MaskedPair, to: MaskedPair): Pick<CorrectedView, 'changes' | 'hasMoreChanges'> {
  const changes: Change[] = [];
  for (const change of differences('', from, to)) {
    if (changes.length === changesShownMax) return { changes, hasMoreChanges: true };
    changes.push(change);
  }
  return { changes, hasMoreChanges: false };
}
