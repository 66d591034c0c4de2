import type { IntentEvent } from '#domain';

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
  return Object.keys(data).length === 0 ? null : JSON.stringify(data);
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
export function toEvent(row: EventRow): IntentEvent {
  return { type: row.type, at: row.at, attempt: row.attempt, ...row.data } as unknown as IntentEvent;
}

/** Attempt 0 marks events that belong to no attempt. */
export function attemptOf(event: IntentEvent): number {
  return 'attempt' in event ? event.attempt : 0;
}

/** Epoch milliseconds as the text Postgres reads into timestamptz. */
export function timestamp(atMs: number): string {
  return new Date(atMs).toISOString();
}
