import { Injectable } from '@nestjs/common';

import type { IdentityPlace, PartnerCommand } from '#intents/core';
import type { SealingPlace } from '#intents';
import { evidencePlace, intentId, MemberKeys, openWhole } from '#intents';
import type { SqlStatement } from '#platform';
import { Database, SealBrokenError } from '#platform';

/** Events of one intent that are shown; an intent has a few for each try. */
const timelineEventsMax = 1_000;

const intentStatement: SqlStatement = {
  name: 'load_timeline_intent',
  text: `
SELECT i.payload, k.wrapped_key, i.recorded_at, i.broker_at, encode(i.programs_hash, 'hex') AS programs_hash,
  i.seq <= m.erased_seq AS is_erased
FROM intent i JOIN member m USING (lane_id) LEFT JOIN member_key k USING (lane_id)
WHERE i.lane_id = $1 AND i.seq = $2`,
};

const eventsStatement: SqlStatement = {
  name: 'load_timeline_events',
  text: `
SELECT e.version, e.type, e.at, e.attempt, e.epoch, e.data, e.sealed, a.program_id AS "program", a.member_id AS "memberId"
FROM intent_history e LEFT JOIN member a ON a.lane_id = (e.data->'awaits'->>'laneId')::bigint
WHERE e.lane_id = $1 AND e.seq = $2 ORDER BY e.version LIMIT ${timelineEventsMax}`,
};

interface IntentRow {
  readonly payload: Buffer;
  readonly wrapped_key: Buffer | null;
  readonly recorded_at: number;
  readonly broker_at: number;
  readonly programs_hash: string;
  readonly is_erased: boolean;
}

interface EventRow {
  readonly version: number;
  readonly type: string;
  readonly at: number;
  readonly attempt: number;
  readonly epoch: number;
  readonly data: Record<string, unknown> | null;
  readonly sealed: Buffer | null;
  /** Of the intent behind which it parked; null: behind none. */
  readonly program: string | null;
  readonly memberId: string | null;
}

/** Something that happened to an intent, with its evidence (requests, responses) in the clear: personal. */
export interface TimelineEvent {
  readonly version: number;
  readonly type: string;
  /** Epoch ms. */
  readonly at: number;
  /** 0 where it is about no attempt. */
  readonly attempt: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly evidence: unknown;
}

/** How an intent came to stand as it does. The content is null once the person is erased, or cannot be read. */
export interface IntentTimeline {
  readonly recordedAt: number;
  /** The timestamp of the record, epoch ms. */
  readonly brokerAt: number;
  /** Hex; of the programs file that routed it. */
  readonly programsHash: string;
  readonly isErased: boolean;
  /** As it is now, corrections included. */
  readonly command: PartnerCommand | null;
  /** The record as it arrived: headers as JSON text, value as text. */
  readonly sourceRecord: { readonly headers: string; readonly value: string } | null;
  /** W3C context of the trace that the intent came with. */
  readonly traceparent: string | null;
  readonly events: readonly TimelineEvent[];
}

/** Damaged bytes cost what they hold, not the rest of the timeline. */
function readable<T>(open: () => T): T | null {
  try {
    return open();
  } catch (error) {
    if (error instanceof SealBrokenError) return null;
    throw error;
  }
}

function evidenceOf({ sealed, ...event }: EventRow, place: SealingPlace | null, keys: MemberKeys): unknown {
  if (sealed === null || place === null) return null;
  const { type, attempt, epoch, version } = event;
  const of = evidencePlace({ ...place, type, attempt, epoch, version });
  return readable(() => JSON.parse(keys.openFor(of, sealed)) as unknown);
}

function toTimelineEvent(event: EventRow, place: SealingPlace | null, keys: MemberKeys): TimelineEvent {
  const { version, type, at, attempt, data } = event;
  return {
    version,
    type,
    at,
    attempt,
    data: { ...data, ...awaitsOf(event) },
    evidence: evidenceOf(event, place, keys),
  };
}

/** The intent behind which it parked, by the id that people use. */
function awaitsOf({ data, program, memberId }: EventRow): { readonly awaits?: string } {
  const { seq } = (data?.['awaits'] ?? {}) as { readonly seq?: number };
  if (program === null || memberId === null || seq === undefined) return {};
  return { awaits: intentId({ program, memberId, seq }) };
}

/** Undefined: it was never corrected. Null: what it was corrected to last does not open, and nothing older stands for it. */
function correctedCommand(events: readonly TimelineEvent[]): PartnerCommand | null | undefined {
  const last = events.findLast(({ type }) => type === 'IntentCorrected');
  return last && ((last.evidence as { readonly command: PartnerCommand } | null)?.command ?? null);
}

function contentOf(
  content: ReturnType<typeof openWhole> | null,
  events: readonly TimelineEvent[],
): Pick<IntentTimeline, 'command' | 'sourceRecord' | 'traceparent'> {
  // An erasure leaves no evidence of a correction either.
  const corrected = correctedCommand(events);
  if (content === null) return { command: corrected ?? null, sourceRecord: null, traceparent: null };
  return { ...content, command: corrected === undefined ? content.command : corrected };
}

/** How intents came to stand as they do. */
@Injectable()
export class TimelineRepository {
  constructor(
    private readonly database: Database,
    private readonly keys: MemberKeys,
  ) {}

  /** One intent's whole story; null when there is no such intent. */
  async load({ laneId, seq }: IdentityPlace): Promise<IntentTimeline | null> {
    const { database, keys } = this;
    const row = (await database.execute<IntentRow>(intentStatement, [laneId, seq])).rows[0];
    if (row === undefined) return null;
    const { wrapped_key: wrapped, payload, is_erased: wasErased } = row;
    const recorded = { recordedAt: row.recorded_at, brokerAt: row.broker_at, programsHash: row.programs_hash };
    const isErased = wasErased || wrapped === null;
    const place = isErased ? null : { laneId, seq, key: keys.learn(laneId, wrapped) };
    const { rows } = await database.execute<EventRow>(eventsStatement, [laneId, seq]);
    const events = rows.map((event) => toTimelineEvent(event, place, keys));
    const content = place === null ? null : readable(() => openWhole(keys, place, payload));
    return { ...recorded, isErased, ...contentOf(content, events), events };
  }
}
