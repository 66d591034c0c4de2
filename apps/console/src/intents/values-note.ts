import type { Answer } from '../api/api-types.js';

/** Below the values: what is left out, and of what they were counted. */
export function valuesNote({ items, more, isExact, countedOf }: Answer<'/intents/values'>): string {
  const left = more === 0 ? [] : [`${more.toLocaleString('en')} more: type a part of one`];
  const none = items.length === 0 ? ['None has one'] : [];
  const part = isExact ? [] : [`counted in the newest ${countedOf.toLocaleString('en')}`];
  return [...none, ...left, ...part].join('; ');
}
