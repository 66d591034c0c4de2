import { z } from 'zod';

import type { Program, ProgramsFile } from '#contracts';
import { pathsOf } from '#contracts';
import type { SourceEvent, SourceEventOf } from '#events';
import { eventTypeOf, routeSourceEvent, SOURCE_EVENT_SCHEMAS } from '#events';
import { currencyDigits } from '#events/core';

/** What the daemon takes, but the producer should know. */
export interface Warning {
  readonly code: WarningCode;
  /** `path: rule`, never a value. */
  readonly detail: string;
}

type WarningCode =
  | 'no-key'
  | 'other-key'
  | 'no-member'
  | 'unsent-field'
  | 'unsent-change'
  | 'digits-missing'
  | 'digits-unusual'
  | 'old-time'
  | 'number-again'
  | 'parked'
  | 'left-for-person'
  | 'data-alone';

export function warning(code: WarningCode, detail: string): Warning {
  return { code, detail };
}

type Purchase =
  | SourceEventOf<'loyalty.purchase.completed.v1'>
  | SourceEventOf<'loyalty.purchase.refunded.v1'>
  | SourceEventOf<'loyalty.purchase.voided.v1'>;

/** The events with money and attributes. */
function isPurchase(event: SourceEvent): event is Purchase {
  return eventTypeOf(event.name).subject === 'purchases';
}

/** `key` is `undefined` where the sample is an event alone, which does not say what the key will be. */
export function keyWarnings(event: SourceEvent, key: string | null | undefined): readonly Warning[] {
  const memberId = event.data.memberId ?? '';
  // A void needs none.
  if (memberId === '' && eventTypeOf(event.name).needsNoMember === true) return [];
  if (memberId === '') return [warning('no-member', 'data.memberId: absent, so that nothing is sent to the partner')];
  if (key === undefined || key === memberId) return [];
  return key === null
    ? [warning('no-key', 'key: missing; the order of the member’s events is then your risk')]
    : [warning('other-key', 'key: not the memberId; the order of the member’s events is then your risk')];
}

/** Money whose amount depends on what both sides believe of its currency. */
export function moneyWarnings(event: SourceEvent): readonly Warning[] {
  const total = isPurchase(event) ? event.data.total : null;
  if (total === null || total === undefined) return [];
  const { currency, digits } = total;
  if (digits === undefined || digits === null) {
    return [warning('digits-missing', 'data.total.digits: left out, so that ISO 4217 decides; say it')];
  }
  if (digits === currencyDigits(currency)) return [];
  return [warning('digits-unusual', 'data.total.digits: not what ISO 4217 says of this currency')];
}

/** A path into an event's data; `lines[]` stands for every member of the list. */
type FieldPath = readonly string[];

/** Fields that the schema of the event's type does not know: they are kept. Each path once. */
function unknownFields({ name, data }: SourceEvent): readonly FieldPath[] {
  const found = walk(SOURCE_EVENT_SCHEMAS[name], data, []);
  return [...new Map(found.map((path) => [JSON.stringify(path), path])).values()];
}

function walk(schema: unknown, value: unknown, path: FieldPath): readonly FieldPath[] {
  const inner = withoutNull(schema);
  if (inner instanceof z.ZodArray) return walkMembers(inner.element, value, path);
  if (!(inner instanceof z.ZodObject) || typeof value !== 'object' || value === null) return [];
  const shape = inner.shape as Readonly<Record<string, unknown>>;
  return Object.entries(value).flatMap(([key, member]) =>
    Object.hasOwn(shape, key) ? walk(shape[key], member, [...path, key]) : [[...path, key]],
  );
}

function walkMembers(schema: unknown, value: unknown, path: FieldPath): readonly FieldPath[] {
  const listed = [...path.slice(0, -1), `${path.at(-1) ?? ''}[]`];
  return Array.isArray(value) ? value.flatMap((member: unknown) => walk(schema, member, listed)) : [];
}

/** Without the `optional` and `nullable` around it. */
function withoutNull(schema: unknown): unknown {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable) inner = inner.unwrap();
  return inner;
}

/** How many fields of one sample are named. */
const unsentFieldsMax = 20;

/** A field's name is the producer's; one that is longer than this is cut. */
const pathLengthMax = 200;

/** Fields that are kept with the event and never reach the partner. Without a programs file some of them still may. */
export function unsentFields(event: SourceEvent, program: Program | null): readonly Warning[] {
  const unsent = program === null ? unsentAnywhere(event) : unsentBy(program, event);
  const rule =
    program === null
      ? 'not a field of this event: kept, and sent only where a programs file maps it'
      : 'not a field of this event, nor mapped by the program: kept, and not sent';
  return unsent.slice(0, unsentFieldsMax).map((path) => warning('unsent-field', `${pathText(path)}: ${rule}`));
}

function pathText(path: FieldPath): string {
  return ['data', ...path].join('.').slice(0, pathLengthMax);
}

/** A person's further fields are there to be mapped. */
function unsentAnywhere(event: SourceEvent): readonly FieldPath[] {
  return unknownFields(event).filter(([root]) => root !== 'person');
}

function unsentBy(program: Program, event: SourceEvent): readonly FieldPath[] {
  const mapped = mappedPaths(program, event).map((path) => path.join('.'));
  return [...unknownFields(event), ...attributePaths(event)].filter((path) => !isMapped(path.join('.'), mapped));
}

/** What a program reads of attributes it names one by one. */
function attributePaths(event: SourceEvent): readonly FieldPath[] {
  const attributes = isPurchase(event) ? event.data.attributes : null;
  return Object.keys(attributes ?? {}).map((key) => ['attributes', key]);
}

/** True when it is a mapped path, or lies within one or around one. */
function isMapped(path: string, mapped: readonly string[]): boolean {
  return mapped.some((text) => text === path || text.startsWith(`${path}.`) || path.startsWith(`${text}.`));
}

function mappedPaths(program: Program, { name }: SourceEvent): readonly FieldPath[] {
  const sources = Object.values(eventTypeOf(name).attributes?.(program) ?? {});
  return [...sources.flatMap(pathsOf), ...program.purchaseKey, ...program.grantKey];
}

/** What an update may change without being mapped (docs/producers.md). */
const changeable = new Set(['tier', 'message', 'groupId', 'smsSubscription', 'person', 'pass', 'metaData']);

/** Paths in `changed` of which nothing is sent: most often a slip of the pen. */
export function unsentChanges(event: SourceEvent, programs: ProgramsFile | null): readonly Warning[] {
  if (event.name !== 'loyalty.member.updated.v1') return [];
  const { changed } = event.data;
  const isSent = (path: string): boolean => {
    if (programs === null) return changeable.has(path.split('.', 1)[0] ?? '');
    // Asked of the router itself, one path at a time.
    const route = routeSourceEvent({ ...event, data: { ...event.data, changed: [path] } }, programs);
    return route.kind !== 'ignored';
  };
  return changed.flatMap((path, index) =>
    isSent(path) ? [] : [warning('unsent-change', `data.changed[${index}]: names nothing that is sent`)],
  );
}
