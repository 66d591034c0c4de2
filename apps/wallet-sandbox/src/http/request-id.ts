import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export const requestIdHeader = 'x-request-id';

/** Printable ASCII of a sensible length: it is stored, and comes back in a header. */
const usable = /^[\x20-\x7e]{1,200}$/;

/** The caller's `x-request-id` if it can be kept, else one of ours. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers[requestIdHeader];
  return typeof given === 'string' && usable.test(given) ? given : randomUUID();
}
