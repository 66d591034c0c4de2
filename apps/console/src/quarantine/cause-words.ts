import type { QuarantineCause } from './use-causes.js';

/** `all from /pos/graz/till-3`, or `from /till-3 (30), /till-4 (2)`; null where none says who it is. */
export function senderText({
  sources,
  stores,
  records,
}: Pick<QuarantineCause, 'sources' | 'stores' | 'records'>): string | null {
  const named = sources.length > 0 ? sources : stores;
  const [first] = named;
  if (first === undefined) return null;
  if (first.records === records) return `all from ${first.name}`;
  return `from ${named.map(({ name, records: count }) => `${name} (${count.toLocaleString('en')})`).join(', ')}`;
}

/** The only one who sent them all; null: there are several, or nobody knows. */
export function onlySource({ sources, records }: Pick<QuarantineCause, 'sources' | 'records'>): string | null {
  const [first] = sources;
  return first?.records === records ? first.name : null;
}
