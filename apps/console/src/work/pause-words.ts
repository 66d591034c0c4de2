import type { Answer } from '../api/api-types.js';
import { operationName } from '../components/operation-words.js';

export type Pause = Answer<'/pauses'>['items'][number];
export type Stats = Answer<'/stats'>;
export type PauseScope = Pick<Pause, 'program' | 'operation'>;

/** `purchases of coffee-club`, `everything`. */
export function scopeText({ program, operation }: PauseScope): string {
  if (program === null && operation === null) return 'everything';
  if (operation === null) return `everything of ${program}`;
  return `${operationName(operation)} of ${program ?? 'every program'}`;
}

export function scopeKey({ program, operation }: PauseScope): string {
  return JSON.stringify([program, operation]);
}

const covers = (scope: PauseScope, one: { readonly program: string; readonly operation: string }): boolean =>
  (scope.program ?? one.program) === one.program && (scope.operation ?? one.operation) === one.operation;

/** What would be sent, and is held by a pause of this scope. */
const held: readonly string[] = ['pending', 'delivering'];

export function heldCount({ intents }: Stats, scope: PauseScope): number {
  return intents
    .filter((one) => held.includes(one.status) && covers(scope, one))
    .reduce((sum, one) => sum + one.intents, 0);
}

/** Those that there are any intents of. */
export function programsOf({ intents, pauses }: Stats): readonly string[] {
  const names = [...intents.map(({ program }) => program), ...pauses.flatMap(({ program }) => program ?? [])];
  return [...new Set(names)].toSorted();
}

/** Other pauses that hold some of the same after this one is lifted. */
export function stillPausedBy(pauses: readonly Pause[], lifted: PauseScope): readonly Pause[] {
  const overlaps = (one: PauseScope): boolean =>
    (one.program === null || lifted.program === null || one.program === lifted.program) &&
    (one.operation === null || lifted.operation === null || one.operation === lifted.operation);
  return pauses.filter((one) => scopeKey(one) !== scopeKey(lifted) && overlaps(one));
}

/** Why somebody who may know of some programs only cannot lift it: it holds the others, too. Null: they can. */
export function whyNotResumed({ program }: PauseScope, limitedTo: readonly string[] | null): string | null {
  if (limitedTo === null || program !== null) return null;
  return `It holds every program; your token is limited to ${limitedTo.join(', ')}.`;
}
