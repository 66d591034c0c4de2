import type { IntentEvent, Operation, PartnerCommand } from '#domain';
import type { SqlStatement } from '#platform';
import { Keyring, SealBrokenError, unseal } from '#platform';
import { isOthers } from '#shop';

import type {
  AskedEffect,
  DedupRow,
  Effect,
  EventRow,
  History,
  IntentRow,
  LaneHistory,
  LaneRow,
  LogRecord,
  QuarantineRow,
} from '../../checker/index.js';
import { askedEffect } from '../../checker/index.js';
import { masterKey } from '../daemon/member-keys-pool.js';
import { requestIdHeader } from '../partner/partner-server.js';
import { transactionContent } from '../partner/wallet.js';
import { readOffsets } from '../world/rest-watch.js';
import type { HistorySources } from './commit-log.js';
import { runNotes } from './commit-log.js';

const lanesStatement: SqlStatement = {
  name: 'sim_lanes',
  text: `
SELECT l.lane_id AS "laneId", l.program_id AS program, m.member_id AS "memberId", l.due_at AS "dueAt", l.epoch, l.version,
  l.head_seq AS head, l.tail_seq AS tail, l.cur_seq AS current, l.attempt, l.attempt_open AS "attemptOpen",
  l.open_since AS "openSince", l.redo, l.ahead, l.issue_seq AS "issueSeq", l.pass, l.state, l.owner,
  m.erased_seq AS "erasedSeq"
FROM lane l JOIN member m USING (lane_id) ORDER BY l.lane_id`,
};

const intentsStatement: SqlStatement = {
  name: 'sim_intents',
  text: `
SELECT lane_id, seq, version, operation, encode(dedup_key, 'hex') AS dedup_key, waits_for_seq,
  encode(waits_for_key, 'hex') AS waits_for_key, payload, recorded_at, topic, partition, kafka_offset, pos, xid::text AS xid
FROM intent ORDER BY lane_id, seq`,
};

interface StoredIntent {
  readonly lane_id: number;
  readonly seq: number;
  readonly version: number;
  readonly operation: string;
  readonly dedup_key: string;
  readonly waits_for_seq: number | null;
  readonly waits_for_key: string | null;
  readonly payload: Buffer;
  readonly recorded_at: number;
  readonly topic: string;
  readonly partition: number;
  readonly kafka_offset: number;
  readonly pos: number;
  readonly xid: string;
}

const eventsStatement: SqlStatement = {
  name: 'sim_events',
  text: `
SELECT lane_id, seq, version, epoch, attempt, type, at, data, sealed, pos FROM intent_history ORDER BY lane_id, version`,
};

interface StoredEvent {
  readonly lane_id: number;
  readonly seq: number;
  readonly version: number;
  readonly epoch: number;
  readonly attempt: number;
  readonly type: string;
  readonly at: number;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly sealed: Buffer | null;
  /** Null for the begin of an attempt under way. */
  readonly pos: number | null;
}

const dedupStatement: SqlStatement = {
  name: 'sim_dedup',
  text: `SELECT encode(key, 'hex') AS key, kind, lane_id AS "laneId", seq FROM dedup ORDER BY 1`,
};

const quarantineStatement: SqlStatement = {
  name: 'sim_quarantine',
  text: `
SELECT quarantine_id AS "quarantineId", topic, partition, kafka_offset AS "offset", reason FROM quarantine
ORDER BY quarantine_id`,
};

/** Everything that is known of a world that has ended. */
export function readHistory(sources: HistorySources): History {
  const { engine, around, programs, commits, outcomes } = sources;
  const lanes = engine.run<LaneRow>(lanesStatement).rows;
  const reader = new LaneReader(sources);
  const names = new Set(lanes.map(({ program, memberId }) => memberName(program, memberId)));
  const requests = around.partner.requests.map((request) => ({ ...request, program: sources.nameOf(request.program) }));
  return {
    run: {
      programs: programs.file.programs,
      log: readLog(sources),
      dedup: engine.run<DedupRow>(dedupStatement).rows,
      quarantine: readQuarantine(sources),
      offsets: commits.offsets,
      unattributedEffects: reader.effects.own.filter(
        ({ program, uniqueId }) => !names.has(memberName(program, uniqueId ?? '')),
      ),
      notes: runNotes(sources),
      requests,
      ...(outcomes === null ? {} : { outcomes }),
    },
    lanes: lanes.map((lane) => reader.read(lane)),
  };
}

function memberName(program: string, memberId: string): string {
  return JSON.stringify([program, memberId]);
}

/** What was deleted before it was consumed, with its topic or by retention, is lost; the system cannot know it. */
function readLog({ engine, around }: HistorySources): LogRecord[] {
  const stored = new Map(
    readOffsets(engine).map((row) => [`${row.topic}/${row.incarnation}/${row.partition}`, row.next_offset]),
  );
  const { broker } = around;
  const seen = new Map<string, number>();
  return broker.all.flatMap((log) => {
    const { topic, partition } = log;
    // As daemons count them: each partition by itself, also one that was added to a topic created anew.
    const incarnation = (seen.get(`${topic}/${partition}`) ?? 0) + 1;
    seen.set(`${topic}/${partition}`, incarnation);
    const isPresent = broker.logOf(topic, partition) === log;
    const consumed = stored.get(`${topic}/${incarnation}/${partition}`) ?? 0;
    return [...log.records.values()].map(({ offset, facts }) => ({
      topic,
      incarnation,
      partition,
      offset,
      isAcknowledged: offset >= log.low && (isPresent || offset < consumed),
      ...facts,
    }));
  });
}

/** The tables name no incarnation of their own. */
function readQuarantine({ engine, commits }: HistorySources): QuarantineRow[] {
  const rows = engine.run<Omit<QuarantineRow, 'incarnation'> & { quarantineId: number }>(quarantineStatement).rows;
  return rows.map(({ quarantineId, ...row }) => {
    return { ...row, incarnation: commits.incarnationOf('quarantined', quarantineId, row.topic) ?? 1 };
  });
}

const outcomeTypes: ReadonlySet<string> = new Set([
  'AttemptApplied',
  'AttemptRejected',
  'AttemptNotApplied',
  'AttemptUnknown',
  'LateOutcome',
]);

interface Evidence {
  readonly response: { readonly headers: Readonly<Record<string, string>> } | null;
}

class LaneReader {
  readonly effects: { readonly own: readonly Effect[]; readonly others: readonly Effect[] };
  private readonly keyring = new Keyring([masterKey]);
  private readonly intents: ReadonlyMap<number, readonly StoredIntent[]>;
  private readonly events: ReadonlyMap<number, readonly StoredEvent[]>;
  private readonly requests: ReadonlyMap<string, NonNullable<LaneHistory['requests']>>;

  constructor(private readonly sources: HistorySources) {
    const { engine, around } = sources;
    this.intents = Map.groupBy(engine.run<StoredIntent>(intentsStatement).rows, ({ lane_id: id }) => id);
    this.events = Map.groupBy(engine.run<StoredEvent>(eventsStatement).rows, ({ lane_id: id }) => id);
    const effects = around.partner.wallet.ledger.map((effect) => {
      return { ...effect, program: sources.nameOf(effect.program) ?? '' };
    });
    this.effects = { own: effects.filter((effect) => !isOthers(effect)), others: effects.filter(isOthers) };
    this.requests = Map.groupBy(around.partner.requests, ({ program, uniqueId }) =>
      memberName(sources.nameOf(program) ?? '', uniqueId ?? ''),
    );
  }

  read(lane: LaneRow): LaneHistory {
    const { laneId, program, memberId } = lane;
    const { around, programIdOf } = this.sources;
    const isMembers = (effect: Effect): boolean => effect.program === program && effect.uniqueId === memberId;
    return {
      lane,
      intents: (this.intents.get(laneId) ?? []).map((row, _, rows) => this.intent(row, rows)),
      events: (this.events.get(laneId) ?? []).map((row) => this.event(row)),
      effects: this.effects.own.filter(isMembers),
      others: this.effects.others.filter(isMembers),
      requests: this.requests.get(memberName(program, memberId)) ?? [],
      passIds: around.partner.wallet.passIdsOf(programIdOf(program), memberId),
    };
  }

  private intent(row: StoredIntent, ofLane: readonly StoredIntent[]): IntentRow {
    const { seq, version, recorded_at: recordedAt, topic, partition, kafka_offset: offset } = row;
    return {
      seq,
      version,
      operation: row.operation as Operation,
      dedupKey: row.dedup_key,
      waitsFor: row.waits_for_seq,
      waitsForKey: row.waits_for_key,
      recordedAt,
      asks: this.asks(row),
      transaction: row.xid,
      position: row.pos,
      topic,
      partition,
      offset,
      incarnation: this.incarnationOf(ofLane.find(({ dedup_key: key }) => key === row.dedup_key) ?? row),
    };
  }

  /** Of the record that an intent was recorded of first: what follows a found pass is recorded by nobody who consumes. */
  private incarnationOf({ pos, topic }: StoredIntent): number {
    return this.sources.commits.incarnationOf('position', pos, topic) ?? 1;
  }

  /** Null for what was born parked. */
  private asks(row: StoredIntent): AskedEffect | null {
    const text = this.open(row.lane_id, row.seq, row.payload);
    const command = JSON.parse(text.slice(0, text.indexOf('\n'))) as PartnerCommand | null;
    return command === null ? null : askedEffect(command, (transaction) => transactionContent({ ...transaction }));
  }

  /** With whichever of the member's keys fits: one that came back after an erasure has another. */
  private open(laneId: number, seq: number, sealed: Uint8Array): string {
    for (const wrapped of this.sources.commits.wrappedKeys.get(laneId) ?? []) {
      try {
        const key = this.keyring.unwrap(wrapped, Buffer.from(`member:${laneId}`));
        return unseal({ key, sealed, context: Buffer.from(`${laneId}:${seq}`) }).toString('utf8');
      } catch (error) {
        if (!(error instanceof SealBrokenError)) throw error;
      }
    }
    throw new Error(`no key opens intent ${seq} of lane ${laneId}`);
  }

  private event(row: StoredEvent): EventRow {
    const { lane_id: laneId, seq, version, epoch, type, at, attempt, data, pos } = row;
    const event = { type, at, ...(attempt === 0 ? {} : { attempt }), ...data } as unknown as IntentEvent;
    const { commits } = this.sources;
    const committedAt =
      commits.begunCommittedAt(laneId, version) ?? (pos === null ? undefined : commits.committedAt(pos));
    const requestId = this.requestIdOf(row);
    return { seq, version, epoch, event, requestId, ...(committedAt === undefined ? {} : { committedAt }) };
  }

  /** Which request an outcome answers, from its evidence. */
  private requestIdOf({ lane_id: laneId, seq, type, sealed }: StoredEvent): string | null {
    if (sealed === null || !outcomeTypes.has(type)) return null;
    const { response } = JSON.parse(this.open(laneId, seq, sealed)) as Evidence;
    return response?.headers[requestIdHeader] ?? null;
  }
}
