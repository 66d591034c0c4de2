import type { Replay, ReplayFilter } from '#intents';

/** What is frozen with a replay: whoever asks for something else means another one. */
export interface AskedSelection {
  readonly query: ReplayFilter;
  readonly isForced: boolean;
}

/** How it is sent. Null: as it is. */
export interface AskedPace {
  readonly ratePerSecond: number | null;
  readonly isCanary: boolean | null;
}

/** Which keys of the query differ, and whether `force` does. Values of a query may be personal: none are told. Pure. */
export function selectionDifferences(
  { query, isForced }: Pick<Replay, 'query' | 'isForced'>,
  asked: AskedSelection,
): string[] {
  const keys = new Set([...Object.keys(query), ...Object.keys(asked.query)]) as ReadonlySet<keyof ReplayFilter>;
  const differing = [...keys].filter((key) => query[key] !== asked.query[key]).map((key) => `query.${key}`);
  return isForced === asked.isForced ? differing : [...differing, `force (${isForced} there)`];
}

/** Pure. */
export function paceDifferences(
  { ratePerSecond, isCanary }: Pick<Replay, 'ratePerSecond' | 'isCanary'>,
  asked: AskedPace,
): string[] {
  const differing: string[] = [];
  if ((asked.ratePerSecond ?? ratePerSecond) !== ratePerSecond) {
    differing.push(`ratePerSecond (${ratePerSecond} there)`);
  }
  if ((asked.isCanary ?? isCanary) !== isCanary) differing.push(`canary (${isCanary} there)`);
  return differing;
}
