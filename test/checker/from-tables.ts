import type { IntentEvent, Operation, PartnerCommand } from '#intents/core';
import type { SealPlace } from '#intents';
import { contextOf } from '#intents';
import type { Keyring } from '#platform';
import { SealBrokenError, unseal } from '#platform';

import type { AskedEffect, EventRow, IntentRow, LaneRow } from './history.js';

/** Rows of `test/reading/tables.ts`. */
export type StoredLane = LaneRow & { readonly wrapped_key: Uint8Array | null; readonly has_left: boolean };

export interface StoredIntent {
  readonly lane_id: number;
  readonly seq: number;
  readonly version: number;
  readonly operation: Operation;
  readonly dedup_key: string;
  readonly waits_for_seq: number | null;
  readonly waits_for_key: string | null;
  readonly payload: Uint8Array;
  readonly recorded_at: number;
  readonly topic: string;
  readonly partition: number;
  readonly kafka_offset: number;
  readonly xid: string;
  readonly pos: number;
  readonly is_resubmitted: boolean;
}

export interface StoredEvent {
  readonly lane_id: number;
  readonly seq: number;
  readonly version: number;
  readonly attempt: number;
  readonly epoch: number;
  readonly type: string;
  readonly at: number;
  readonly data: Record<string, unknown> | null;
  readonly sealed: Uint8Array | null;
  /** Null for the begin of an attempt under way. */
  readonly pos: number | null;
}

/** Where something of an intent is sealed. */
type PlaceOfIntent = Extract<SealPlace, { readonly seq: number }>;

/** How sealed values of a lane are read. */
export interface Reading {
  /** Null: it cannot be read any more. */
  readonly open: (sealed: Uint8Array, place: PlaceOfIntent) => string | null;
  /** How the partner's ledger tells a transaction's content. */
  readonly contentOf: (command: TransactionCommand) => string;
}

type TransactionCommand = Extract<PartnerCommand, { readonly operation: 'transaction' }>;

/** With whichever of a member's wrapped keys fits: one that came back after an erasure has another. */
export function openerOf(keyring: Keyring, laneId: number, wrapped: readonly Uint8Array[]): Reading['open'] {
  const keys = wrapped.map((key) => keyring.unwrap(key, contextOf({ column: 'member_key.wrapped_key', laneId })));
  return (sealed, place) => {
    for (const key of keys) {
      try {
        return unseal({ key, sealed, context: contextOf(place) }).toString('utf8');
      } catch (error) {
        if (!(error instanceof SealBrokenError)) throw error;
      }
    }
    return null;
  };
}

export function intentRow(stored: StoredIntent, reading: Reading): IntentRow {
  const { seq, version, operation, topic, partition } = stored;
  return {
    ...{ seq, version, operation, topic, partition },
    asks: asksOf(stored, reading),
    incarnation: 1,
    offset: stored.kafka_offset,
    dedupKey: stored.dedup_key,
    waitsFor: stored.waits_for_seq,
    waitsForKey: stored.waits_for_key,
    recordedAt: stored.recorded_at,
    transaction: stored.xid,
    position: stored.pos,
    isResubmitted: stored.is_resubmitted,
  };
}

/** What a recorded intent asks; null: nothing (it was born parked), or it cannot be read any more. */
function asksOf(stored: StoredIntent, { open, contentOf }: Reading): AskedEffect | null {
  const text = open(stored.payload, { column: 'intent.payload', laneId: stored.lane_id, seq: stored.seq });
  const command = text === null ? null : (JSON.parse(text.slice(0, text.indexOf('\n'))) as PartnerCommand | null);
  return command === null ? null : askedEffect(command, contentOf);
}

const answers: readonly string[] = [
  'AttemptApplied',
  'AttemptRejected',
  'AttemptNotApplied',
  'AttemptUnknown',
  'LateOutcome',
];

/** The event of a row: a number of an attempt stands in its own column, 0 for none; the rest in `data`. */
export function eventRow(stored: StoredEvent, { open, contentOf }: Reading): EventRow {
  const { seq, version, epoch, type, at, attempt, data, sealed } = stored;
  const event = { type, at, ...(attempt === 0 ? {} : { attempt }), ...data } as unknown as IntentEvent;
  const row = { seq, version, epoch, event };
  const isOpened = type === 'IntentCorrected' || answers.includes(type);
  const place = { column: 'intent_event.sealed', laneId: stored.lane_id, seq, type, attempt, epoch, version } as const;
  const text = sealed === null || !isOpened ? null : open(sealed, place);
  if (type !== 'IntentCorrected') return { ...row, requestId: text === null ? null : requestIdIn(text) };
  const { command } = text === null ? { command: null } : (JSON.parse(text) as { command: PartnerCommand | null });
  return { ...row, asks: command === null ? null : askedEffect(command, contentOf) };
}

/** Which request an outcome answers, from its evidence; null where it tells none. */
function requestIdIn(text: string): string | null {
  const { response } = JSON.parse(text) as { readonly response?: { readonly headers?: Record<string, string> } | null };
  return response?.headers?.['x-request-id'] ?? null;
}

/** What a frozen command asks, in the words of the ledger. */
function askedEffect(command: PartnerCommand, contentOf: Reading['contentOf']): AskedEffect {
  const plain = {
    operation: command.operation,
    key: null,
    isEnforced: false,
    target: null,
    content: null,
    pointsDelta: null,
    goodUntil: null,
  };
  switch (command.operation) {
    case 'issue':
    case 'schedule-update':
      return plain;
    case 'issue-via-workflow':
    case 'update-via-workflow':
      return { ...plain, target: command.workflowId };
    case 'reward':
      return {
        ...plain,
        target: command.rewardId,
        pointsDelta: command.pointsDelta ?? null,
        goodUntil: command.validUntil === undefined ? null : Date.parse(command.validUntil),
      };
    case 'transaction':
      return {
        ...plain,
        key: command.uniqueAttribute?.value ?? null,
        isEnforced: command.uniqueAttribute?.enforced ?? false,
        target: command.transactionTypeId,
        content: contentOf(command),
        pointsDelta: command.pointsDelta ?? null,
      };
  }
}
