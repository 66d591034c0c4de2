type Names = Readonly<Record<string, string>>;

/**
 * An answer whose properties bear the dialect's names, by ours.
 * @param names ours -> the partner's
 */
export function withOurNames(
  answer: Readonly<Record<string, unknown>>,
  names: Names,
): Readonly<Record<string, unknown>> {
  const ours = new Map(Object.entries(names).map(([our, their]) => [their, our]));
  const entries = Object.entries(answer);
  // What the dialect names comes last: it wins over an unknown property that happens to bear our name.
  const isNamed = ([name]: readonly [string, unknown]): boolean => ours.has(name);
  return Object.fromEntries([
    ...entries.filter((entry) => !isNamed(entry)),
    ...entries.filter(isNamed).map(([name, value]) => [ours.get(name) ?? name, value]),
  ]) as Readonly<Record<string, unknown>>;
}

/** Properties of ours by the dialect's names; one that the dialect does not name keeps its own. */
export function withTheirNames(
  properties: Readonly<Record<string, unknown>>,
  names: Names,
): Readonly<Record<string, unknown>> {
  const renamed = Object.entries(properties).map(([name, value]) => [
    Object.hasOwn(names, name) ? names[name] : name,
    value,
  ]);
  return Object.fromEntries(renamed) as Readonly<Record<string, unknown>>;
}
