import type { ProgramsFile } from '#contracts';
import type { SourceEvent, SourceEventName } from '#events';
import type { Authority } from '#events/core';
import { decodeSourceRecord, routeSourceEvent } from '#events';
import type { Operation, PartnerCommand, RouteResult } from '#intents/core';
import type { FetchedRecord } from '#kafka';

import type { SampleRecord } from './read-record.js';
import { isObject, parseJson } from './read-record.js';
import type { SaleDays } from './sale-days.js';
import type { Warning } from './warnings.js';
import { keyWarnings, moneyWarnings, unsentChanges, unsentFields, warning } from './warnings.js';

/** A call to the partner, the cancelling of what has not begun, or an intent that waits for a person. */
type Cause = Operation | 'cancel' | 'parked';

/** What the daemon would do with a record. */
export interface Judgement {
  readonly verdict: 'accepted' | 'ignored' | 'refused';
  /** Without a producer's prefix; `null` for what is no event of ours. */
  readonly type: SourceEventName | null;
  /** Of what is ignored or refused: the reasons of docs/producers.md. */
  readonly reason: string | null;
  /** Of what is refused: `path: rule`, never a value. */
  readonly detail: string | null;
  /** What it would lead to; empty where no programs file was given. */
  readonly causes: readonly Cause[];
  readonly warnings: readonly Warning[];
  /** The requests that it would lead to; absent where nobody asked for them. */
  readonly calls?: readonly Call[];
}

/** A request to the partner, without base address and token; or why none can be made: paths and rules, never a value. */
export type Call =
  | { readonly operation: Operation; readonly method: string; readonly path: string; readonly body: unknown }
  | { readonly operation: Operation; readonly problems: readonly string[] };

export interface JudgeContext {
  /** Routes as the daemon would; `null`: judged by its schema alone. */
  readonly programs: ProgramsFile | null;
  /** Epoch milliseconds. */
  readonly now: number;
  /** What comes by the topic that it lies in may say; absent: it lies in none. */
  readonly authority?: Authority | null;
  /** Says which request a command is; absent: that is not asked. */
  readonly callOf?: (command: PartnerCommand) => Call;
  /** Of the samples before; absent: the sample is judged by itself. */
  readonly days?: SaleDays;
}

/** An event this old is most often a till whose clock is wrong, or a sample that was forgotten. */
const oldTimeMs = 30 * 24 * 60 * 60 * 1000;

/** Judges a record by the daemon's own decoder and, where there is a programs file, by its router. */
export function judgeSample(record: SampleRecord, context: JudgeContext): Judgement {
  const decoded = decodeSourceRecord({ value: record.value, headers: record.headers, now: context.now });
  switch (decoded.kind) {
    case 'tombstone':
      return { ...nothing, verdict: 'ignored', reason: 'tombstone' };
    case 'quarantine':
      return { ...refusal(decoded.reason, decoded.detail), warnings: hints(record) };
    case 'event':
      return judgeEvent(decoded.event, record, context);
    default:
      return decoded satisfies never;
  }
}

/** Judges a record as it was fetched. */
export function judgeTopicRecord({ undecoded, key, value, headers }: FetchedRecord, context: JudgeContext): Judgement {
  if (undecoded !== undefined) return refusal(undecoded.reason, undecoded.detail);
  const text = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  const json = value === null ? null : parseJson(text(value));
  return judgeSample({ value, headers: headers ?? {}, key: key === null ? null : text(key), json }, context);
}

export const nothing: Judgement = {
  verdict: 'accepted',
  type: null,
  reason: null,
  detail: null,
  causes: [],
  warnings: [],
};

/** What the daemon would set aside. */
export function refusal(reason: string, detail: string): Judgement {
  return { ...nothing, verdict: 'refused', reason, detail };
}

function judgeEvent(event: SourceEvent, record: SampleRecord, context: JudgeContext): Judgement {
  const { programs } = context;
  const route = programs === null ? null : routeSourceEvent(event, programs, context);
  const type = event.name;
  if (route?.kind === 'quarantine') return { ...refusal(route.reason, route.detail), type };
  const warnings = [...keyWarnings(event, record.key), ...timeWarnings(event, context)];
  if (route?.kind === 'ignored') return { ...nothing, verdict: 'ignored', type, reason: route.reason, warnings };
  return {
    ...nothing,
    type,
    causes: causesOf(route),
    ...(context.callOf && { calls: callsOf(route, context.callOf) }),
    warnings: [
      ...warnings,
      ...contentWarnings(event, route, programs),
      ...(context.days?.warnings(route, event.timeMs) ?? []),
    ],
  };
}

function causesOf(route: RouteResult | null): readonly Cause[] {
  if (route?.kind !== 'routed') return [];
  const { intents, cancels } = route;
  return [
    ...cancels.map(() => 'cancel' as const),
    ...intents.map(({ command }) => (command === null ? 'parked' : command.operation)),
  ];
}

function callsOf(route: RouteResult | null, callOf: NonNullable<JudgeContext['callOf']>): readonly Call[] {
  if (route?.kind !== 'routed') return [];
  return route.intents.flatMap(({ command }) => (command === null ? [] : [callOf(command)]));
}

function timeWarnings({ timeMs }: SourceEvent, { now }: JudgeContext): readonly Warning[] {
  return timeMs < now - oldTimeMs ? [warning('old-time', 'time: more than 30 days ago')] : [];
}

function contentWarnings(event: SourceEvent, route: RouteResult | null, programs: ProgramsFile | null): Warning[] {
  const program = programs?.programs[event.data.program] ?? null;
  return [
    ...leftWarnings(route),
    ...parkedWarnings(route),
    ...moneyWarnings(event),
    ...unsentFields(event, program),
    ...unsentChanges(event, programs),
  ];
}

/** A half of it waits for a person. */
function leftWarnings(route: RouteResult | null): readonly Warning[] {
  const left = route?.kind === 'routed' ? route.leftForPerson : undefined;
  return left === undefined ? [] : [warning('left-for-person', `${left.detail}; its opt-out takes effect`)];
}

/** A merge is always for a person; anything else is what the programs file lacks. */
function parkedWarnings(route: RouteResult | null): readonly Warning[] {
  const intents = route?.kind === 'routed' ? route.intents : [];
  return intents.flatMap(({ parked }) =>
    parked?.reason === 'unroutable' ? [warning('parked', 'data.program: has no way to tell its partner')] : [],
  );
}

/** What is probably meant by something that is no CloudEvent. */
function hints({ json }: SampleRecord): readonly Warning[] {
  if (!isObject(json) || !Object.hasOwn(json, 'program') || Object.hasOwn(json, 'specversion')) return [];
  return [warning('data-alone', '(the sample): looks like data alone; put it into an event or a record')];
}
