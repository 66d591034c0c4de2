import { SOURCE_EVENT_SCHEMAS, type SourceEventName } from './source-event.js';

const root = 'loyalty.';
const reverseDns = /^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/;

/**
 * A type without its reverse-DNS prefix: `com.acme.loyalty.purchase.completed.v1` is `loyalty.purchase.completed.v1`.
 * `null` when it is not one of ours by form; whether it is known is another question.
 */
export function stripTypePrefix(type: string): string | null {
  if (type.startsWith(root)) return type;
  const at = type.lastIndexOf(`.${root}`);
  if (at <= 0 || !reverseDns.test(type.slice(0, at))) return null;
  return type.slice(at + 1);
}

/** True for the newest version of each event type. */
export function isSourceEventName(name: string): name is SourceEventName {
  return Object.hasOwn(SOURCE_EVENT_SCHEMAS, name);
}
