import { isMasked } from '../components/mask.js';

type Members = Readonly<Record<string, unknown>>;

/** One value that a correction changes; absent: there is none. */
export interface Change {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const namesOf = (...values: readonly Members[]): readonly string[] => [...new Set(values.flatMap(Object.keys))];

/** Where two contents differ, member by member; a list as a whole. */
export function changesOf(before: unknown, after: unknown, path = ''): readonly Change[] {
  if (isMembers(before) && isMembers(after)) {
    return namesOf(before, after).flatMap((name) => {
      const inner = path === '' ? name : `${path}.${name}`;
      if (!Object.hasOwn(after, name)) return [{ path: inner, before: before[name] }];
      if (!Object.hasOwn(before, name)) return [{ path: inner, after: after[name] }];
      return changesOf(before[name], after[name], inner);
    });
  }
  return isSame(before, after) ? [] : [{ path, before, after }];
}

/** A JSON merge patch (RFC 7396) that makes the one of the other: what is not in it, such as what is masked, stays. */
export function patchOf(before: Members, after: Members): Members {
  const patch = namesOf(before, after).flatMap((name): [string, unknown][] => {
    if (!Object.hasOwn(after, name)) return [[name, null]];
    const [old, now] = [before[name], after[name]];
    if (isSame(old, now)) return [];
    return [[name, isMembers(old) && isMembers(now) ? patchOf(old, now) : now]];
  });
  return Object.fromEntries(patch);
}

const holdsMask = (value: unknown): boolean => isMasked(JSON.stringify(value ?? null));

/** A patch cannot say null: it means "remove". */
function holdsNull(value: unknown): boolean {
  if (value === null) return true;
  return isMembers(value) && Object.values(value).some(holdsNull);
}

export type Correction =
  | { readonly kind: 'wrong'; readonly why: string }
  | { readonly kind: 'changes'; readonly changes: readonly Change[]; readonly patch: Members };

const wrong = (why: string): Correction => ({ kind: 'wrong', why });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function obstacleTo({ path, after }: Change): string | null {
  if (holdsMask(after)) return `${path}: what is masked cannot be sent. Leave it as it is, or write the whole value.`;
  return holdsNull(after) ? `${path}: null means "remove": take the name away instead.` : null;
}

/** What somebody's text would change in the content that is shown. */
export function correctionOf(command: unknown, text: string): Correction {
  const before = isMembers(command) ? command : {};
  const after = parsed(text);
  if (!isMembers(after)) return wrong('That is no JSON object yet.');
  const changes = changesOf(before, after);
  if (changes.length === 0) return wrong('Nothing is changed yet.');
  const obstacle = changes.map(obstacleTo).find((why) => why !== null);
  return obstacle === undefined ? { kind: 'changes', changes, patch: patchOf(before, after) } : wrong(obstacle);
}
