import { isSourceEventName, type SourceEventName } from './source-event.js';

/** One step from an older version of an event type to the next. Pure; stored bytes never change. */
export interface Upcaster {
  /** The name of the next version, `loyalty.purchase.completed.v2`. */
  readonly to: string;
  /** Gets `data` as sent, unchecked; may return anything, the newest schema judges it. Must not throw or mutate. */
  readonly upcast: (data: unknown) => unknown;
}

interface SentEvent {
  readonly name: string;
  readonly data: unknown;
}

/** By the older name. Empty: every type is still at its first version. */
export const UPCASTERS: ReadonlyMap<string, Upcaster> = new Map();

/** How many versions back are read. */
const upcastStepsMax = 20;

/** What versions there are: the newest ones, and how to come to them. */
interface EventVersions<Name extends string> {
  readonly upcasters: ReadonlyMap<string, Upcaster>;
  readonly isNewest: (name: string) => name is Name;
}

const ours: EventVersions<SourceEventName> = { upcasters: UPCASTERS, isNewest: isSourceEventName };

/** Leads `data` to the newest version of its type; `null` when no chain of upcasters ends at one we know. */
export function upcastToNewest(sent: SentEvent): { readonly name: SourceEventName; readonly data: unknown } | null;
export function upcastToNewest<Name extends string>(
  sent: SentEvent,
  versions: EventVersions<Name>,
): { readonly name: Name; readonly data: unknown } | null;
export function upcastToNewest(
  sent: SentEvent,
  { upcasters, isNewest }: EventVersions<string> = ours,
): { readonly name: string; readonly data: unknown } | null {
  let { name, data } = sent;
  for (let step = 0; step <= upcastStepsMax; step += 1) {
    if (isNewest(name)) return { name, data };
    const upcaster = upcasters.get(name);
    if (upcaster === undefined) return null;
    data = upcaster.upcast(data);
    name = upcaster.to;
  }
  return null;
}
