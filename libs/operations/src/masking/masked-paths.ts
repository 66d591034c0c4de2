import { maskedText } from './mask-personal.js';

/** Paths that are told, at most. */
const pathsMax = 10;

type Place = readonly [path: string, value: unknown];

function membersOf([path, value]: Place): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([name, member]) => [path === '' ? name : `${path}.${name}`, member]);
}

/**
 * Where a value that somebody sent holds what stands for a masked one: copied from what we showed, it would be taken for
 * the value itself. The first ten paths, in their order.
 */
export function maskedPaths(sent: unknown): string[] {
  const found: string[] = [];
  const left: Place[] = [['', sent]];
  for (let place = left.pop(); place !== undefined && found.length < pathsMax; place = left.pop()) {
    const [path, value] = place;
    if (typeof value === 'string' && value.includes(maskedText)) found.push(path);
    // One by one: a request may hold more members than a call takes arguments.
    for (const member of membersOf(place).reverse()) left.push(member);
  }
  return found;
}
