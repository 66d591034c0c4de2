import { maskedText, maskPersonal } from '../masking/mask-personal.js';

/** One value that differs. Undefined where there was, or is, none. */
export interface Change {
  /** Such as `attributes.store`. */
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** A value as it is, and as it may be shown. */
interface Leaf {
  readonly value: unknown;
  readonly shown: unknown;
}

function isBranch(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** What a masked parent hides, its members hide, too. */
function memberOf(shown: unknown, name: string): unknown {
  return shown === maskedText ? maskedText : (shown as Readonly<Record<string, unknown>>)[name];
}

function leavesBelow(path: string, { value, shown }: Leaf): [string, Leaf][] {
  if (!isBranch(value)) return [[path, { value, shown }]];
  return Object.entries(value).flatMap(([name, member]) =>
    leavesBelow(path === '' ? name : `${path}.${name}`, { value: member, shown: memberOf(shown, name) }),
  );
}

function leavesOf(value: unknown): ReadonlyMap<string, Leaf> {
  return new Map(value === null ? [] : leavesBelow('', { value, shown: maskPersonal(value) }));
}

/** What differs between two JSON values, by path; personal values are masked. */
export function listChanges(before: unknown, after: unknown): Change[] {
  const old = leavesOf(before);
  const now = leavesOf(after);
  const paths = [...new Set([...old.keys(), ...now.keys()])].sort();
  return paths
    .filter((path) => JSON.stringify(old.get(path)?.value) !== JSON.stringify(now.get(path)?.value))
    .map((path) => ({ path, from: old.get(path)?.shown, to: now.get(path)?.shown }));
}
