import type { z } from 'zod';

import type { ProgramsFile } from '#contracts';
import type { RouteResult } from '#intents/core';
import { ignored, nobody, quarantine } from '#intents/core';
import { memberEventTypes } from '#members';
import { purchaseEventTypes } from '#purchases';
import { rewardEventTypes } from '#rewards';

import type { EventType } from './core/event-type.js';
import type { Routing } from './core/routing.js';
import type { EventOf, SourceEventFrame } from './core/source-event.js';

/** Every event type there is, each from the room of its subject (contracts.md section 1). */
const eventTypes = [...memberEventTypes, ...purchaseEventTypes, ...rewardEventTypes] as const;

type KnownType = (typeof eventTypes)[number];

export type SourceEventName = KnownType['name'];

type TypeOf<Name extends SourceEventName> = Extract<KnownType, { readonly name: Name }>;

/** One event type with its validated data; `name` is the type without prefix. */
export type SourceEventOf<Name extends SourceEventName> = EventOf<Name, z.infer<TypeOf<Name>['schema']>>;

/** A validated source event: a union on `name`. */
export type SourceEvent = { [Name in SourceEventName]: SourceEventOf<Name> }[SourceEventName];

const byName = Object.fromEntries(eventTypes.map((type) => [type.name, type])) as {
  readonly [Name in SourceEventName]: TypeOf<Name>;
};

/** Of each event type what `data` must be. */
export const SOURCE_EVENT_SCHEMAS = mapTypes(({ schema }) => schema) as {
  readonly [Name in SourceEventName]: TypeOf<Name>['schema'];
};

/** Of each event type a valid `data`, the examples of contracts.md section 1. */
export const SOURCE_EVENT_SAMPLES = mapTypes(({ sample }) => sample) as {
  readonly [Name in SourceEventName]: TypeOf<Name>['sample'];
};

function mapTypes(of: (type: KnownType) => unknown): unknown {
  return Object.fromEntries(eventTypes.map((type) => [type.name, of(type)]));
}

/** True for each event type. */
export function isSourceEventName(name: string): name is SourceEventName {
  return Object.hasOwn(byName, name);
}

/** What the room of its subject says of an event type. */
export function eventTypeOf(name: SourceEventName): EventType<string, z.ZodType<EventOf['data']>, unknown> {
  // Its route takes events of its own type alone; who asks by an event's name gives it that event.
  return byName[name] as unknown as EventType<string, z.ZodType<EventOf['data']>, unknown>;
}

/** What of `data` an operator may correct, by path; a field means the same in every type that has it. */
export const CORRECTABLE_DATA: ReadonlySet<string> = new Set(
  eventTypes.flatMap(({ name }) => eventTypeOf(name).correctable ?? []),
);

/**
 * What a valid source event makes us owe the partner: contracts.md section 1, "Which partner call an event causes".
 * Pure and deterministic: the same event and file give the same result, on every replica and every attempt. Never
 * throws. `detail` of a quarantine names paths and rules, never a value.
 */
export function routeSourceEvent(event: SourceEvent, programs: ProgramsFile): RouteResult {
  const { program: name } = event.data;
  const memberId = event.data.memberId ?? nobody;
  const type = eventTypeOf(event.name);
  if (memberId === nobody && type.needsNoMember !== true) return ignored('no-member');
  const program = Object.hasOwn(programs.programs, name) ? programs.programs[name] : undefined;
  if (program !== undefined) return routeInProgram(type, { event, memberId, program });
  return programs.unknownProgram === 'ignore'
    ? ignored('unknown-program')
    : quarantine('unknown-program', 'data.program: not in the programs file');
}

function routeInProgram(type: ReturnType<typeof eventTypeOf>, routing: Routing<SourceEvent>): RouteResult {
  const { event, program } = routing;
  if (event.timeMs < program.notBefore) return quarantine('invalid', "time: before the program's notBefore");
  return type.route(routing);
}

const withoutVersion = (name: string): string => name.replace(/\.v\d+$/, '');
const rules = new Map(
  Object.values(byName).map(({ name, rule }: { name: string; rule?: string | null }) => [withoutVersion(name), rule]),
);

/** The part of its program that an event came by, whatever its type's version; see `EventType.rule`. */
export function ruleOfType(eventType: string): string | null | undefined {
  return rules.get(withoutVersion(eventType));
}

/** What a sample differs in: fields of `data` (`undefined` takes one away) and attributes of the frame. */
interface SampleChanges {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly frame?: Partial<SourceEventFrame>;
}

/** A whole event as the decoder would give it, made of the sample of its type. What it is changed to is not checked. */
export function sampleEvent<Name extends SourceEventName>(
  name: Name,
  changes: SampleChanges = {},
): Extract<SourceEvent, { readonly name: Name }> {
  const data = JSON.parse(JSON.stringify({ ...SOURCE_EVENT_SAMPLES[name], ...changes.data })) as unknown;
  const time = '2026-11-21T10:15:04+01:00';
  const event = {
    id: '01JD7Z0Q9W3M',
    source: '/pos/berlin-07/till-3',
    type: name,
    name,
    subject: null,
    time,
    timeMs: Date.parse(time),
    sequence: null,
    traceparent: null,
    data,
    sentData: data,
    ...changes.frame,
  };
  return event as unknown as Extract<SourceEvent, { readonly name: Name }>;
}
