import type { Answer } from '../api/api-types.js';
import { operationName } from '../components/operation-words.js';
import type { FailureGroup } from '../failures/causes.js';

export type Pause = Answer<'/pauses'>['items'][number];
export type Stats = Answer<'/stats'>;
/** `factor`: only the calls with this in common; absent or null: all. */
export type PauseScope = Pick<Pause, 'program' | 'operation'> & { readonly factor?: Pause['factor'] };

/** `purchases of coffee-club`, `rewards (reward:9002) of coffee-club`, `everything (store:lisboa) of coffee-club`, `everything`. */
export function scopeText({ program, operation, factor = null }: PauseScope): string {
  if (program === null && operation === null) return 'everything';
  const which = factor === null ? '' : ` (${factor})`;
  if (operation === null) return `everything${which} of ${program}`;
  return `${operationName(operation)}${which} of ${program ?? 'every program'}`;
}

/** What does not happen any more while it is paused. */
export function holdsText({ program, operation, factor = null }: PauseScope): string {
  if (program === null && operation === null) return 'no program delivers anything any more';
  const what = operation === null ? 'nothing' : `no ${operationName(operation, 1)}`;
  const which = factor === null ? '' : ` with ${factor}`;
  return `${what} of ${program ?? 'any program'}${which} is sent any more`;
}

/** Calls may have these in common; what stands in the address of a screen may be anything. */
export const factorKinds = [
  { kind: 'store', name: 'Store' },
  { kind: 'source', name: 'Source' },
  { kind: 'reward', name: 'Reward' },
  { kind: 'transaction-type', name: 'Transaction type' },
  { kind: 'event-type', name: 'Event type' },
  { kind: 'member', name: 'Member' },
] as const;

export const isMemberFactor = (factor: string | null): boolean => factor?.startsWith('member:') === true;

type Waiting = Answer<'/pauses/waiting'>;
export type WaitingFactor = Waiting['factors'][number];

/** Of what waits for a pause, that of which something was refused, and which leaves something else to go on. */
export function refusedFactors({ waiting, factors }: Waiting): readonly WaitingFactor[] {
  return factors.filter((each) => each.refused > 0 && each.waiting < waiting);
}

export function scopeKey({ program, operation, factor = null }: PauseScope): string {
  return JSON.stringify([program, operation, factor]);
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

type Aside = Pick<FailureGroup, 'program' | 'operation' | 'reason' | 'code' | 'intents'>;

/** What stands aside for a pause of calls with something in common, and comes back by itself. */
export function asideCount(scope: PauseScope, groups: readonly Aside[]): number {
  return groups
    .filter((group) => group.reason === 'held' && group.code === scope.factor && covers(scope, group))
    .reduce((sum, { intents }) => sum + intents, 0);
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
    (one.operation === null || lifted.operation === null || one.operation === lifted.operation) &&
    // A call may have two factors, such as a reward and a store.
    !(one.factor?.split(':')[0] === lifted.factor?.split(':')[0] && one.factor !== lifted.factor);
  return pauses.filter((one) => scopeKey(one) !== scopeKey(lifted) && overlaps(one));
}

type Cause = Pick<FailureGroup, 'program' | 'operation' | 'reason' | 'lastAt'>;

/** So long before delivery pauses itself the last refusal of those that made it do so is. */
const causedMs = 10 * 60_000;

/** Failures that made delivery pause this by itself, or came since: not what it holds. */
export function causesOf<T extends Cause>({ program, operation, since }: Pause, groups: readonly T[]): readonly T[] {
  return groups.filter(
    (group) =>
      group.program === program &&
      group.operation === operation &&
      group.reason !== 'held' &&
      Date.parse(group.lastAt) >= Date.parse(since) - causedMs,
  );
}

/** Why somebody who may know of some programs only cannot lift it: it holds the others, too. Null: they can. */
export function whyNotResumed({ program }: PauseScope, limitedTo: readonly string[] | null): string | null {
  if (limitedTo === null || program !== null) return null;
  return `It holds every program; your token is limited to ${limitedTo.join(', ')}.`;
}
