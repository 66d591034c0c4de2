/** Of one event so many are named, at most. */
export const differencesMax = 20;

/** Where two events differ; what is personal, or may be, has a path alone. */
export interface EventDifference {
  readonly path: string;
  /** Absent: it is not shown, or was not there. */
  readonly was?: string;
  readonly now?: string;
}

/** Of these the values are shown: what money is about, and never whose. */
const shown = /^(?:type|time|data\.(?:program|purchaseId|refundId|storeId|(?:total|previousTotal)\.[a-z]+))$/;

/**
 * In what the event that was recorded differs from what is made of its record now: from the one of the same type and id, else of
 * the same type, else the first. Pure.
 * @param made JSON texts; none: nothing is made of the record any more
 */
export function differencesOf(recorded: string | null, made: readonly string[]): readonly EventDifference[] {
  const before = recorded === null ? null : parsed(recorded);
  if (before === null) return [];
  const events = made.map((text) => parsed(text) ?? {});
  const sameType = events.filter(({ type }) => type === before['type']);
  const next = sameType.find(({ id }) => id === before['id']) ?? sameType[0] ?? events[0] ?? {};
  const [was, now] = [leavesOf(before), leavesOf(next)];
  const paths = [...new Set([...was.keys(), ...now.keys()])].filter((path) => was.get(path) !== now.get(path));
  return paths
    .sort()
    .slice(0, differencesMax)
    .map((path) => ({ path, ...valuesAt(path, was, now) }));
}

function valuesAt(
  path: string,
  was: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): Omit<EventDifference, 'path'> {
  if (!shown.test(path)) return {};
  const [before, next] = [was.get(path), now.get(path)];
  return { ...(before !== undefined && { was: before }), ...(next !== undefined && { now: next }) };
}

type Fields = Readonly<Record<string, unknown>>;

function parsed(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return isNode(value) ? (value as Fields) : null;
  } catch {
    return null;
  }
}

const isNode = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Each value by its path. */
function leavesOf(value: object, prefix = ''): Map<string, string> {
  const leaves = Object.entries(value).flatMap(([name, item]: [string, unknown]) =>
    isNode(item)
      ? [...leavesOf(item, `${prefix}${name}.`)]
      : [[`${prefix}${name}`, typeof item === 'string' ? item : JSON.stringify(item)] as const],
  );
  return new Map(leaves);
}
