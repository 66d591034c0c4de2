import { namesToldMax } from './limits.js';

/** `a, b, c and 12 more` */
export function nameList(names: readonly string[]): string {
  const told = names.slice(0, namesToldMax).join(', ');
  const rest = names.length - namesToldMax;
  return rest > 0 ? `${told} and ${rest} more` : told;
}
