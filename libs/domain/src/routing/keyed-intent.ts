import type { CancelRequest, RoutedIntent } from './route-result.js';

/**
 * The intent that carries an event's business key, if it has one: the first, or what is recorded where the event comes too
 * late to cancel. The latter's key is the event's only as soon as it is recorded.
 */
export function keyedIntent(route: {
  readonly intents: readonly RoutedIntent[];
  readonly cancels: readonly CancelRequest[];
}): RoutedIntent | null {
  return route.intents[0] ?? route.cancels[0]?.ifTooLate ?? null;
}
