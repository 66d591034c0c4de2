import { Keyring } from '#platform';
import { isOthers } from '#shop';

import type {
  DedupRow,
  Effect,
  EventRow,
  History,
  IntentRow,
  LaneHistory,
  LogRecord,
  QuarantineRow,
} from '../../checker/index.js';
import type { StoredEvent, StoredIntent, StoredLane } from '../../checker/from-tables.js';
import { eventRow, intentRow, openerOf } from '../../checker/from-tables.js';
import {
  dedupStatement,
  eventsStatement,
  intentsStatement,
  lanesStatement,
  quarantineStatement,
} from '../../reading/tables.js';
import { masterKey } from '../daemon/member-keys-pool.js';
import { transactionContent } from '../partner/wallet.js';
import { readOffsets } from '../world/rest-watch.js';
import type { HistorySources } from './commit-log.js';
import { runNotes } from './commit-log.js';

/** More than a world has. */
const lanesMax = 10_000;

/** Everything that is known of a world that has ended. */
export function readHistory(sources: HistorySources): History {
  const { engine, around, programs, commits, outcomes, names: erased } = sources;
  const stored = engine.run<StoredLane>(lanesStatement, [0, lanesMax]).rows;
  const lanes = stored.map((lane) => ({ ...lane, memberId: erased.memberIdOf(lane.memberId) }));
  const reader = new LaneReader(sources, lanes);
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
    return [...log.records.values()].flatMap(({ offset, facts }) => {
      const isAcknowledged = offset >= log.low && (isPresent || offset < consumed);
      return facts.map((each, index) => {
        const ordinal = facts.length === 1 ? {} : { ordinal: index + 1 };
        return { topic, incarnation, partition, offset, ...ordinal, isAcknowledged, ...each };
      });
    });
  });
}

/** The tables name no incarnation of their own. */
function readQuarantine({ engine, commits }: HistorySources): QuarantineRow[] {
  const rows = engine.run<Omit<QuarantineRow, 'incarnation'> & { quarantineId: number }>(quarantineStatement).rows;
  return rows.map(({ quarantineId, ...row }) => {
    return { ...row, incarnation: commits.incarnationOf('quarantined', quarantineId, row) ?? 1 };
  });
}

class LaneReader {
  readonly effects: { readonly own: readonly Effect[]; readonly others: readonly Effect[] };
  private readonly keyring = new Keyring([masterKey]);
  private readonly intents: ReadonlyMap<number, readonly StoredIntent[]>;
  private readonly events: ReadonlyMap<number, readonly StoredEvent[]>;
  private readonly requests: ReadonlyMap<string, NonNullable<LaneHistory['requests']>>;

  constructor(
    private readonly sources: HistorySources,
    lanes: readonly StoredLane[],
  ) {
    const { engine, around } = sources;
    const laneIds = lanes.map(({ laneId }) => laneId);
    this.intents = Map.groupBy(engine.run<StoredIntent>(intentsStatement, [laneIds]).rows, ({ lane_id: id }) => id);
    this.events = Map.groupBy(engine.run<StoredEvent>(eventsStatement, [laneIds]).rows, ({ lane_id: id }) => id);
    const effects = around.partner.wallet.ledger.map((effect) => {
      return { ...effect, program: sources.nameOf(effect.program) ?? '' };
    });
    this.effects = { own: effects.filter((effect) => !isOthers(effect)), others: effects.filter(isOthers) };
    this.requests = Map.groupBy(around.partner.requests, ({ program, uniqueId }) =>
      memberName(sources.nameOf(program) ?? '', uniqueId ?? ''),
    );
  }

  read({ wrapped_key: _key, has_left: _hasLeft, ...lane }: StoredLane): LaneHistory {
    const { laneId, program, memberId } = lane;
    const { around, programIdOf, commits } = this.sources;
    const isMembers = (effect: Effect): boolean => effect.program === program && effect.uniqueId === memberId;
    // The destroyed ones too: a judge must read what nobody else may.
    const open = openerOf(this.keyring, laneId, commits.wrappedKeys.get(laneId) ?? []);
    const mustOpen: typeof open = (sealed, place) => {
      const text = open(sealed, place);
      if (text === null) throw new Error(`no key opens intent ${place.seq} of lane ${laneId}`);
      return text;
    };
    const reading = { open: mustOpen, contentOf: (command: object) => transactionContent({ ...command }) };
    const intents = this.intents.get(laneId) ?? [];
    return {
      lane,
      intents: intents.map((row) => this.withIncarnation(intentRow(row, reading), intents)),
      events: (this.events.get(laneId) ?? []).map((row) => this.withCommit(eventRow(row, reading), row)),
      effects: this.effects.own.filter(isMembers),
      others: this.effects.others.filter(isMembers),
      requests: this.requests.get(memberName(program, memberId)) ?? [],
      passIds: around.partner.wallet.passIdsOf(programIdOf(program), memberId),
    };
  }

  /** Of the record that an intent was recorded of first: what follows a found pass is recorded by nobody who consumes. */
  private withIncarnation(row: IntentRow, ofLane: readonly StoredIntent[]): IntentRow {
    const { pos, ...place } = ofLane.find(({ dedup_key: key }) => key === row.dedupKey) ?? { ...row, pos: 0 };
    return { ...row, incarnation: this.sources.commits.incarnationOf('position', pos, place) ?? 1 };
  }

  private withCommit(row: EventRow, { lane_id: laneId, pos }: StoredEvent): EventRow {
    const { commits } = this.sources;
    const committedAt =
      commits.begunCommittedAt(laneId, row.version) ?? (pos === null ? undefined : commits.committedAt(pos));
    return { ...row, ...(committedAt === undefined ? {} : { committedAt }) };
  }
}
