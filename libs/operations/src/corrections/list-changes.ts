import { maskedText, maskPersonal } from '../masking/mask-personal.js';

/** One value that differs. Undefined where there was, or is, none. */
export interface Change {
  /** Such as `attributes.store`. */
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

type Leaves = ReadonlyMap<string, { readonly value: unknown; readonly shown: unknown }>;

function isBranch(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** What a masked parent hides, its members hide, too. */
function collect(value: unknown, shown: unknown, path: string, leaves: Map<string, { value: unknown; shown: unknown }>): void {
  if (!isBranch(value)) {
    leaves.set(path, { value, shown });
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    const visible = shown === maskedText ? maskedText : (shown as Readonly<Record<string, unknown>>)[name];
    collect(member, visible, path === '' ? name : `${path}.${name}`, leaves);
  }
}

function leavesOf(value: unknown): Leaves {
  const leaves = new Map<string, { value: unknown; shown: unknown }>();
  if (value !== null) collect(value, maskPersonal(value), '', leaves);
  return leaves;
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
