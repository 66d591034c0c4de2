import type { IntentEvent } from '#intents/core';
import type { Database, SqlStatement } from '#platform';
import { timestamptzArray } from '#platform';

/** By whom an event is that nobody has asked for. */
export const daemon = 'loyaltyd';

/** Text as Postgres can hold it: no U+0000, no lone surrogates; each becomes U+FFFD. */
export function readableText(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD').toWellFormed();
}

/** An event with its place in the lane and the evidence that must only be stored sealed. */
export interface EventToAppend {
  readonly seq: number;
  readonly event: IntentEvent;
  /** JSON text with personal values (requests, responses), or null. */
  readonly evidence: string | null;
}

/** What may be read in the clear: the event without its type, time and attempt, which have columns of their own. */
export function clearData(event: IntentEvent): string | null {
  const { type: _type, at: _at, ...rest } = event;
  const data: Record<string, unknown> = { ...rest };
  delete data['attempt'];
  if (Object.keys(data).length === 0) return null;
  const json = JSON.stringify(data);
  // Only what jsonb may refuse is written as \u: one such text would fail a whole group commit, again and again.
  return json.includes('\\u') ? JSON.stringify(data, readableValue) : json;
}

function readableValue(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? readableText(value) : value;
}

export interface EventRow {
  readonly lane_id: number;
  readonly seq: number;
  readonly version: number;
  readonly attempt: number;
  readonly type: string;
  readonly at: number;
  readonly data: Record<string, unknown> | null;
}

/** Rebuilds the domain event from its row. Rows are written by `clearData` only, so the shape is ours. */
export function toEvent({ type, at, attempt, data }: EventRow): IntentEvent {
  const ofAttempt = attempt === noAttempt ? {} : { attempt };
  return { type, at, ...ofAttempt, ...data } as unknown as IntentEvent;
}

/** Marks events that belong to no attempt. */
const noAttempt = 0;

export function attemptOf(event: IntentEvent): number {
  return 'attempt' in event ? event.attempt : noAttempt;
}

/** First and last time of the years 1 to 9999, beyond which ISO 8601 and Postgres write years differently. */
const earliestMs = Date.parse('0001-01-01T00:00:00.000Z');
const latestMs = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Epoch milliseconds as the text Postgres reads into timestamptz. Cut to the years 1 to 9999: a producer may write any
 * int64 into a record's timestamp, and that must not stop a partition.
 * @throws {RangeError} for NaN
 */
export function timestamp(atMs: number): string {
  if (atMs !== lastTimestamp.atMs) lastTimestamp = { atMs, text: timestampText(atMs) };
  return lastTimestamp.text;
}

/** A batch writes the same few times over and over. */
let lastTimestamp = { atMs: NaN, text: '' };

function timestampText(atMs: number): string {
  return new Date(withinYears(atMs)).toISOString();
}

function withinYears(atMs: number): number {
  return Math.min(Math.max(atMs, earliestMs), latestMs);
}

/**
 * The same of many, for `timestamptz[]`; null stays NULL.
 * @throws {RangeError} for NaN
 */
export function timestamps(atMs: readonly (number | null)[]): Uint8Array {
  return timestamptzArray(atMs.map((each) => (each === null ? null : withinYears(each))));
}

/**
 * Intent by intent: a join would read all events there are, for Postgres takes no condition of a join into the parts of
 * `intent_history`.
 */
export const loadEventsStatement: SqlStatement = {
  name: 'load_events',
  text: `
SELECT e.lane_id, e.seq, e.version, e.attempt, e.type, e.at, e.data,
  CASE WHEN e.type = 'IntentCorrected' THEN e.sealed END AS correction
FROM unnest($1::bigint[], $2::int[]) AS i (lane_id, seq)
CROSS JOIN LATERAL (SELECT * FROM intent_history h WHERE h.lane_id = i.lane_id AND h.seq = i.seq OFFSET 0) e
ORDER BY e.lane_id, e.seq, e.version`,
};

/** An event row with the sealed correction, where it is one. */
export interface LoadedEventRow extends EventRow {
  readonly correction: Buffer | null;
}

/** The newest correction among events in version order; null: there is none. */
export function lastCorrectionIn(
  events: readonly Pick<LoadedEventRow, 'correction' | 'version'>[],
): { readonly sealed: Buffer; readonly version: number } | null {
  const last = events.findLast(({ correction }) => correction !== null);
  return last === undefined || last.correction === null ? null : { sealed: last.correction, version: last.version };
}

/**
 * The events after `IntentRecorded` of the given intents, in version order per lane. Bounded by the caller: places per
 * claim times the few events of an intent.
 */
export async function loadEvents(
  database: Pick<Database, 'execute'>,
  places: readonly { readonly laneId: number; readonly seq: number }[],
): Promise<LoadedEventRow[]> {
  if (places.length === 0) return [];
  const { rows } = await database.execute<LoadedEventRow>(loadEventsStatement, [
    places.map((place) => place.laneId),
    places.map((place) => place.seq),
  ]);
  return rows;
}
