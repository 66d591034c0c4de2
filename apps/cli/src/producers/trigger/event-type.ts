import { isSourceEventName, SOURCE_EVENT_SCHEMAS, type SourceEventName, stripTypePrefix } from '#contracts';

/** A type as asked for. */
export interface EventType {
  readonly name: SourceEventName;
  /** As it is sent, a reverse-DNS prefix included. */
  readonly type: string;
}

/** `purchase.completed`, `loyalty.purchase.completed.v1`, or that with a reverse-DNS prefix; null for anything else. */
export function readEventType(text: string): EventType | null {
  for (const type of [text, `loyalty.${text}`, `loyalty.${text}.v1`]) {
    const name = stripTypePrefix(type);
    if (name !== null && isSourceEventName(name)) return { name, type };
  }
  return null;
}

/** The short names of all types. */
export function shortTypeNames(): readonly string[] {
  return Object.keys(SOURCE_EVENT_SCHEMAS).map((name) => name.replace(/^loyalty\.|\.v\d+$/g, ''));
}
