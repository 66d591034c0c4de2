import type { z } from 'zod';

import type { AttributeSource, Program } from '#contracts';
import type { AnonymousReceipt, BusinessKey, JsonValue, RouteResult } from '#intents/core';

import type { Routing } from './routing.js';
import type { EventData, EventOf } from './source-event.js';

/** The topics that events come in by, and the rooms that know what they mean. */
export type Subject = 'members' | 'purchases' | 'rewards';

/** By which pattern each subject's module takes the batches of its topic; which topic that is is a setting. */
export const sourcePatterns = {
  members: 'source.members',
  purchases: 'source.purchases',
  rewards: 'source.rewards',
} as const satisfies Readonly<Record<Subject, string>>;

/** By which pattern the batches of all other topics are taken: those that a programs file declares. */
export const declaredPattern = 'source.declared';

/**
 * How a value is shown to operators: which texts fit each, and what is masked, is one table (`libs/operations/src/masking`).
 * `names`: of an object the names of its members alone. `pass`: of what the partner keeps on a pass what is not personal.
 */
export type ShownAs =
  | ('id' | 'shop-id' | 'channel' | 'flag' | 'number' | 'time' | 'money' | 'names' | 'pass')
  /** What the programs file calls so. */
  | ('program' | 'tier' | 'reward');

/** What of a value is shown; what is not named is personal. */
export type Shown =
  ShownAs | { readonly oneOf: readonly string[] } | { readonly items: Shown } | { readonly members: ShownMembers };

export type ShownMembers = Readonly<Record<string, Shown>>;

/** One event type: all that the rest of the house needs to know of it. */
export interface EventType<Name extends string, Schema extends z.ZodType<EventData>, Sample> {
  /** Without a producer's reverse-DNS prefix, with its version: `loyalty.reward.granted.v1`. */
  readonly name: Name;
  readonly subject: Subject;
  /** What `data` must be. */
  readonly schema: Schema;
  /** A valid `data`: documentation, `trigger` and tests start from it. */
  readonly sample: Sample;
  /** What of `data` operators see, besides program and member: nothing personal, and no free text. */
  readonly shown: ShownMembers;
  /** What of `data` an operator may correct, by path as `pass.seat`: nothing that says whose it is, what, or how much. Absent: nothing. */
  readonly correctable?: readonly string[];
  /** What it makes us owe. Pure. */
  readonly route: (routing: Routing<EventOf<Name, z.infer<Schema>>>) => RouteResult;
  /** It changes what is known of its member, and may be stale. */
  readonly changesProfile?: true;
  /** It acts by what it names alone: what it takes back has a member, if it was recorded at all. */
  readonly needsNoMember?: true;
  /** What is remembered of it where it names no member. Absent: nothing. */
  readonly ofNobody?: (routing: Routing<EventOf<Name, z.infer<Schema>>>) => AnonymousReceipt | null;
  /** The key of the sale or refund that it tells, also where that cannot be taken in; null: it cannot be read. Absent: it tells of none. */
  readonly numberOf?: (routing: Routing<EventOf<Name, z.infer<Schema>>>) => BusinessKey | null;
  /** What of it must be equal when the same `source` and `id` come again. Absent: all of `data`, and `subject`. */
  readonly judged?: (event: EventOf<Name, z.infer<Schema>>) => JsonValue;
  /** The field of `data` by which the thing that it tells of is known for ever; absent: it tells of no new one. */
  readonly ownNumber?: string;
  /** The part of its program that says what is made of it; null: none does. Absent: the operation that it led to tells. */
  readonly rule?: string | null;
  /** What the program takes from `data` into attributes of the partner's. */
  readonly attributes?: (program: Program) => Readonly<Record<string, AttributeSource>>;
}

/** Says of which types its parts are; nothing else. */
export function eventType<const Name extends string, Schema extends z.ZodType<EventData>, const Sample>(
  type: EventType<Name, Schema, Sample>,
): EventType<Name, Schema, Sample> {
  return type;
}
