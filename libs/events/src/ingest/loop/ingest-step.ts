import { recordBatchMax } from '#intents';
import { jitteredDelayMs } from '#platform';

/** Kafka wants a sign of life at least every 3 s while a batch is being worked on (design.md section 12). */
export const heartbeatEveryMs = 2_000;
/** Of records that are decoded and recorded together: decoded they take many times as much, and several partitions are decoded at once. */
export const chunkBytesMax = 1024 * 1024;
/** First delay before a failed recording is tried again. */
export const recordRetryMsMin = 100;
/** Longest delay: a database that comes back is used again within five seconds. */
export const recordRetryMsMax = 5_000;
/** So many times a recording is refused for its content before the chunk is halved, or its only record set aside. */
export const recordTriesBeforeBisectMax = 3;

/** The delay before a failed recording is tried again. @param chance uniform in [0, 1) */
export function recordRetryMs(lastDelayMs: number, chance: number): number {
  return jitteredDelayMs({ minMs: recordRetryMsMin, maxMs: recordRetryMsMax }, lastDelayMs, chance);
}

/** The offsets of a fetched batch: all that the decisions need of it. */
export interface BatchOffsets {
  /** The offset that was asked for. */
  readonly fetchedFrom: number;
  /** One per record, rising, never empty. */
  readonly offsets: readonly number[];
  /** How large each record is. */
  readonly bytes: readonly number[];
  /** The partition's next offset after the batch. */
  readonly nextOffset: number;
}

/** One fetched batch on its way into the database. */
export interface IngestState {
  readonly phase: 'arriving' | 'recording' | 'waiting' | 'finished';
  readonly batch: BatchOffsets;
  /** Index of the first record that is not durable yet. */
  readonly from: number;
  /** Where the database has the partition. */
  readonly position: number;
  /** Records per chunk for now: smaller while the one is being searched that cannot be recorded. */
  readonly size: number;
  /** How often the present chunk was refused for its content. */
  readonly tries: number;
  /** The last delay before a retry; 0 when nothing failed lately. */
  readonly delayMs: number;
  /** Why the chunk's only record is set aside; null otherwise. */
  readonly poison: string | null;
  readonly isStopping: boolean;
}

/** Consecutive records that are recorded in one transaction. */
export interface Chunk {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** The partition's stored offset before the chunk. */
  readonly fromOffset: number;
  readonly nextOffset: number;
  /** Set: the one record goes to quarantine, for this reason. */
  readonly poison: string | null;
}

export function initialIngestState(batch: BatchOffsets): IngestState {
  return {
    phase: 'arriving',
    batch,
    from: 0,
    position: batch.fetchedFrom,
    size: recordBatchMax,
    tries: 0,
    delayMs: 0,
    poison: null,
    isStopping: false,
  };
}

/** Records together have at most `chunkBytesMax`; a single one may have more. */
function endOfChunk({ offsets, bytes }: BatchOffsets, from: number, size: number): number {
  const end = Math.min(from + size, offsets.length);
  let sum = bytes[from] ?? 0;
  for (let to = from + 1; to < end; to += 1) {
    sum += bytes[to] ?? 0;
    if (sum > chunkBytesMax) return to;
  }
  return end;
}

/** The chunk that the state is about to record or is recording. */
function chunkOf({ batch, from, position, size, poison }: IngestState): Chunk {
  const to = endOfChunk(batch, from, size);
  const last = batch.offsets[to - 1];
  const nextOffset = to === batch.offsets.length || last === undefined ? batch.nextOffset : last + 1;
  return { from, to, fromOffset: position, nextOffset, poison };
}

/** Index of the first record at or after `offset`; the number of records when there is none. */
function indexFrom({ offsets }: BatchOffsets, offset: number): number {
  const index = offsets.findIndex((candidate) => candidate >= offset);
  return index === -1 ? offsets.length : index;
}

export type IngestTimer = 'retry' | 'heartbeat';

/**
 * How an arrived batch relates to its partition. `unplaced`: the partition's position is not known. `foreign`: its
 * topic is not the one that we consumed. `placed`: where its fetch had to begin, and the partition's position, which is
 * beyond that when the last record consumed was fetched again as a proof; and where the database has it, which is below that
 * where there was nothing to record.
 */
export type Arrival =
  | { readonly kind: 'unplaced' }
  | { readonly kind: 'foreign' }
  | {
      readonly kind: 'placed';
      readonly fetchFrom: number;
      readonly position: number;
      readonly storedOffset: number;
    };

export type IngestEvent =
  | { readonly type: 'batch-arrived'; readonly arrival: Arrival }
  /** `storedOffset`: the partition's stored offset after the commit. */
  | { readonly type: 'chunk-recorded'; readonly storedOffset: number }
  /**
   * `unavailable`: the database is away or contended, time will help. `content`: it refused these very records.
   * `behind`: the partition's stored offset is not the one that we know. `unreadable-yet`: what the records are read by is away.
   * `failure` names the stage, never a value; `chance` is uniform in [0, 1).
   */
  | {
      readonly type: 'recording-failed';
      readonly cause: 'unavailable' | 'content' | 'behind' | 'unreadable-yet';
      readonly failure: string;
      readonly chance: number;
    }
  | { readonly type: 'timer-fired'; readonly timer: IngestTimer }
  | { readonly type: 'heartbeat-done' }
  | { readonly type: 'heartbeat-failed' }
  | { readonly type: 'stop-requested' };

/**
 * Why the batch needs no more work: everything durable; position not known or not this one; it cannot be read yet; asked to stop;
 * lost.
 */
export type IngestOutcome = 'consumed' | 'unplaced' | 'misplaced' | 'deferred' | 'stopped' | 'lost';

export type IngestEffect =
  | { readonly type: 'record-chunk'; readonly chunk: Chunk }
  /** The records below `nextOffset` are durable. `storedOffset`: where the database has the partition; null: nothing was recorded. */
  | { readonly type: 'acknowledge'; readonly nextOffset: number; readonly storedOffset: number | null }
  /** The first `count` records were consumed before and need no transaction. */
  | { readonly type: 'drop-consumed'; readonly count: number }
  | { readonly type: 'heartbeat' }
  | { readonly type: 'start-timer'; readonly timer: IngestTimer; readonly delayMs: number }
  /** The fetch did not begin at the partition's position: it is read and sought again. */
  | { readonly type: 'reposition'; readonly fetchedFrom: number | null }
  /** The partition is left alone for a while and then fetched again: until this batch ends, others of its broker are not fetched. */
  | { readonly type: 'defer'; readonly failure: string; readonly chance: number }
  | { readonly type: 'finish'; readonly outcome: IngestOutcome };

interface IngestStep {
  readonly state: IngestState;
  readonly effects: readonly IngestEffect[];
}

type Of<Type extends IngestEvent['type']> = Extract<IngestEvent, { type: Type }>;

/**
 * The decisions of ingest for one fetched batch of one partition (design.md section 2). Pure: the caller performs the
 * effects and reports back with events. A record is acknowledged only after the transaction that made it durable has
 * committed; a recording that fails is repeated for ever, and the one record that cannot be recorded goes to quarantine.
 */
export function ingestStep(state: IngestState, event: IngestEvent): IngestStep {
  if (state.phase === 'finished') return { state, effects: [] };
  switch (event.type) {
    case 'batch-arrived':
      return arrive(state, event);
    case 'chunk-recorded':
      return state.phase === 'recording' ? advance(state, event) : { state, effects: [] };
    case 'recording-failed':
      return state.phase === 'recording' ? afterFailure(state, event) : { state, effects: [] };
    case 'timer-fired':
      return afterTimer(state, event.timer);
    case 'heartbeat-done':
      return { state, effects: [{ type: 'start-timer', timer: 'heartbeat', delayMs: heartbeatEveryMs }] };
    case 'heartbeat-failed':
      return finish(state, 'lost');
    case 'stop-requested':
      return state.phase === 'recording'
        ? { state: { ...state, isStopping: true }, effects: [] }
        : finish(state, 'stopped');
    default:
      return event satisfies never;
  }
}

function finish(state: IngestState, outcome: IngestOutcome, before: readonly IngestEffect[] = []): IngestStep {
  return { state: { ...state, phase: 'finished' }, effects: [...before, { type: 'finish', outcome }] };
}

function record(state: IngestState, before: readonly IngestEffect[] = []): IngestStep {
  const recording: IngestState = { ...state, phase: 'recording' };
  return { state: recording, effects: [...before, { type: 'record-chunk', chunk: chunkOf(recording) }] };
}

function arrive(state: IngestState, { arrival }: Of<'batch-arrived'>): IngestStep {
  const { batch } = state;
  if (arrival.kind === 'unplaced') return finish(state, 'unplaced');
  if (arrival.kind === 'foreign' || batch.fetchedFrom !== arrival.fetchFrom) {
    return reposition(state, batch.fetchedFrom);
  }
  const from = indexFrom(batch, arrival.position);
  const drops: IngestEffect[] = from === 0 ? [] : [{ type: 'drop-consumed', count: from }];
  if (from === batch.offsets.length) {
    const nextOffset = Math.max(batch.nextOffset, arrival.position);
    return finish(state, 'consumed', [...drops, { type: 'acknowledge', nextOffset, storedOffset: null }]);
  }
  const { storedOffset: position } = arrival;
  const heartbeat: IngestEffect = { type: 'start-timer', timer: 'heartbeat', delayMs: heartbeatEveryMs };
  return record({ ...state, from, position }, [...drops, heartbeat]);
}

/** Nothing of the batch is taken: the source seeks the partition's position and fetches anew. */
function reposition(state: IngestState, fetchedFrom: number | null): IngestStep {
  return finish(state, 'misplaced', [{ type: 'reposition', fetchedFrom }]);
}

function advance(state: IngestState, { storedOffset }: Of<'chunk-recorded'>): IngestStep {
  const { batch } = state;
  const from = indexFrom(batch, storedOffset);
  const nextOffset = Math.min(storedOffset, batch.nextOffset);
  const acknowledge: IngestEffect = { type: 'acknowledge', nextOffset, storedOffset };
  if (from === batch.offsets.length) return finish(state, 'consumed', [acknowledge]);
  if (state.isStopping) return finish(state, 'stopped', [acknowledge]);
  const size = Math.min(recordBatchMax, state.size * 2);
  return record({ ...state, from, position: storedOffset, size, tries: 0, delayMs: 0, poison: null }, [acknowledge]);
}

function afterFailure(state: IngestState, event: Of<'recording-failed'>): IngestStep {
  if (state.isStopping) return finish(state, 'stopped');
  switch (event.cause) {
    case 'behind':
      return reposition(state, null);
    case 'unreadable-yet':
      return finish(state, 'deferred', [{ type: 'defer', failure: event.failure, chance: event.chance }]);
    case 'unavailable':
      return wait(state, event.chance);
    case 'content':
      return state.poison === null ? afterRefusal(state, event) : wait(state, event.chance);
  }
}

/** The records are to blame, or one of them: it is searched by halving, and set aside when it is alone. */
function afterRefusal(state: IngestState, { chance, failure }: Of<'recording-failed'>): IngestStep {
  const { from, to } = chunkOf(state);
  const count = to - from;
  const tries = state.tries + 1;
  const isSearching = state.size < recordBatchMax && count > 1;
  if (tries < recordTriesBeforeBisectMax && !isSearching) return wait({ ...state, tries }, chance);
  return count > 1
    ? record({ ...state, size: Math.ceil(count / 2), tries: 0, delayMs: 0 })
    : record({ ...state, tries: 0, delayMs: 0, poison: failure });
}

function wait(state: IngestState, chance: number): IngestStep {
  const delayMs = recordRetryMs(state.delayMs, chance);
  return {
    state: { ...state, phase: 'waiting', delayMs },
    effects: [{ type: 'start-timer', timer: 'retry', delayMs }],
  };
}

function afterTimer(state: IngestState, timer: IngestTimer): IngestStep {
  if (timer === 'heartbeat') return { state, effects: [{ type: 'heartbeat' }] };
  return state.phase === 'waiting' ? record(state) : { state, effects: [] };
}
