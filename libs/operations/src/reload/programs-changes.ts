import { isDeepStrictEqual } from 'node:util';

import type { ProgramsView } from '#contracts';

type Load = ProgramsView['loads'][number];
type Change = NonNullable<Load['changes']>[number];

/** Changes shown of one file, at most. */
export const programsChangesMax = 200;

type Section = Readonly<Record<string, unknown>>;

function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function* differences(path: readonly string[], from: unknown, to: unknown): Generator<Change> {
  if (isDeepStrictEqual(from, to)) return;
  if (!isSection(from) || !isSection(to)) {
    yield { path: path.join('.') || '(the file)', change: 'changed', from, to };
    return;
  }
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const below = [...path, name];
    if (!Object.hasOwn(to, name)) yield { path: below.join('.'), change: 'removed', from: from[name], to: null };
    else if (!Object.hasOwn(from, name)) yield { path: below.join('.'), change: 'added', from: null, to: to[name] };
    else yield* differences(below, from[name], to[name]);
  }
}

/** In what a programs file differs from the one before, path by path; null where one of the two is not kept. */
export function programsChanges(
  before: string | null | undefined,
  after: string | null,
): Pick<Load, 'changes' | 'hasMoreChanges'> {
  if (before === null || before === undefined || after === null) return { changes: null, hasMoreChanges: false };
  const changes: Change[] = [];
  for (const change of differences([], JSON.parse(before) as unknown, JSON.parse(after) as unknown)) {
    if (changes.length === programsChangesMax) return { changes, hasMoreChanges: true };
    changes.push(change);
  }
  return { changes, hasMoreChanges: false };
}
