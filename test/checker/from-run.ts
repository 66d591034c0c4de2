import type { Client } from 'pg';

import type { ProgramsFile } from '#contracts';
import { Keyring } from '#platform';
import { isOthers } from '#shop';
import { withClient } from '#test-support';

import type { LedgerRow } from '../reading/partner.js';
import type { Run } from '../reading/run.js';
import { rowsOf } from '../reading/run.js';
import {
  dedupStatement,
  eventsStatement,
  intentsStatement,
  lanesStatement,
  offsetsStatement,
  quarantineStatement,
} from '../reading/tables.js';
import type { TopicRecord } from '../reading/topics.js';
import type { Verdict } from './check-history.js';
import { HistoryChecker } from './check-history.js';
import { describeRecord } from './describe-record.js';
import type { StoredEvent, StoredIntent, StoredLane } from './from-tables.js';
import { eventRow, intentRow, openerOf } from './from-tables.js';
import type {
  ClearText,
  DedupRow,
  Effect,
  HeardOutcome,
  LaneHistory,
  LaneRow,
  LaneSample,
  LogRecord,
  OffsetSample,
  QuarantineRow,
  RunNotes,
} from './history.js';
import { truthDigest } from './lane/truth-digest.js';

interface RunKnowledge {
  /** As `LOYALTYD_ENCRYPTION_KEY`: what was asked of the partner is sealed. */
  readonly encryptionKey: string;
  readonly programs: ProgramsFile;
  readonly notes?: Partial<RunNotes>;
  /** What was seen meanwhile. */
  readonly samples?: Pick<RunSampler, 'offsets' | 'lanes'>;
  /** Values that must be readable nowhere. */
  readonly secrets: readonly string[];
  /** What can be read beside the tables. */
  readonly clearTexts?: readonly ClearText[];
  readonly meantBy?: MeantBy;
}

/** What whoever wrote a record of a form of their own meant by it, each as an event of ours; null: it is one. */
export type MeantBy = (
  value: string,
) => readonly { readonly value: Buffer | null; readonly headers: Readonly<Record<string, string>> }[] | null;

const usualNotes: RunNotes = {
  isAtRest: true,
  isStopped: false,
  wasRebuilt: false,
  clockToleranceMs: 150,
  replicas: 1,
  partner: { enforcesUniqueness: true, othersWrite: false, othersUseOurValues: false, hadPasses: false },
  faults: {},
};

/** Judges a real run, lane by lane: of those only a page is in memory. */
export async function judgeRun(run: Run, known: RunKnowledge): Promise<Verdict> {
  const { programs, samples, secrets } = known;
  const notes = { ...usualNotes, ...known.notes };
  return withClient(run.databaseUrl, async (client) => {
    const effects = effectsByMember(run.ledger, programs);
    const unattributedEffects: Effect[] = [];
    const checker = new HistoryChecker({
      programs: programs.programs,
      log: run.records.flatMap((record) => logRecords(record, known)),
      ...(run.outcomes === null ? {} : { outcomes: run.outcomes.map(heardOutcome) }),
      dedup: await rowsOf<DedupRow>(client, dedupStatement),
      quarantine: (await rowsOf<QuarantineRow>(client, quarantineStatement)).map((row) => ({ ...row, incarnation: 1 })),
      offsets: [...(samples?.offsets ?? []), ...(await rowsOf<OffsetSample>(client, offsetsStatement))],
      unattributedEffects,
      notes,
      secrets,
      clearTexts: [...(known.clearTexts ?? []), ...(await readClearTexts(client, secrets))],
    });
    for await (const { lane: row, ...truth } of readLanes(client, known.encryptionKey, () => true)) {
      const lane = { ...row, memberId: run.names.memberIdOf(row.memberId) };
      const name = memberName(lane);
      const all = effects.get(name) ?? [];
      effects.delete(name);
      const own = all.filter((effect) => !isOthers(effect));
      const seen = samples?.lanes.get(lane.laneId) ?? [];
      checker.check({
        ...truth,
        lane,
        ...passIdsOf(own, notes),
        effects: own,
        others: all.filter(isOthers),
        samples: seen,
      });
    }
    for (const left of effects.values()) unattributedEffects.push(...left.filter((effect) => !isOthers(effect)));
    return checker.finish();
  });
}

function memberName({ program, memberId }: { readonly program: string; readonly memberId: string }): string {
  return JSON.stringify([program, memberId]);
}

/** No pass but those that the ledger knows, unless members had some before. */
function passIdsOf(effects: readonly Effect[], { partner }: RunNotes): Pick<LaneHistory, 'passIds'> {
  return partner.hadPasses ? {} : { passIds: [...new Set(effects.flatMap(({ passId }) => passId ?? []))] };
}

/** Only what we ask for: entries of administration, and those of other programs, are left out. */
function effectsByMember(ledger: readonly LedgerRow[], { programs }: ProgramsFile): Map<string, Effect[]> {
  const names = new Map(
    Object.entries(programs).map(([name, { brandId, programId }]) => [`${brandId}/${programId}`, name]),
  );
  const byMember = new Map<string, Effect[]>();
  for (const row of ledger) {
    const program = names.get(`${row.brandId}/${row.programId}`);
    if (program === undefined || row.uniqueId === null) continue;
    const name = memberName({ program, memberId: row.uniqueId });
    const own = byMember.get(name) ?? [];
    byMember.set(name, own);
    own.push(effectOf(row, program));
  }
  return byMember;
}

function effectOf(row: LedgerRow, program: string): Effect {
  const { seq, operation, uniqueId, key, requestId, passId, body } = row;
  return {
    ...{ seq, operation, program, uniqueId, key, requestId },
    passId: passId === null ? null : Number(passId),
    target: row.targetId,
    content: operation === 'transaction' ? transactionContent(body as unknown as TransactionBody) : null,
    arrivedAt: row.arrivedAtMs,
    appliedAt: row.appliedAtMs,
  };
}

interface TransactionBody {
  readonly amount: unknown;
  readonly transactionDate: unknown;
}

/** What tells two transactions of one type apart: amount and time, however they are written. */
function transactionContent({ amount, transactionDate }: TransactionBody): string {
  return `${Number(amount)} at ${momentOf(String(transactionDate))}`;
}

/** Of a date in whatever form of ISO 8601 the partner asks for; without a zone it is in UTC, as all that is sent. */
function momentOf(date: string): number {
  const extended = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/, '$1-$2-$3T$4:$5:$6');
  return Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(extended) ? extended : `${extended}Z`);
}

/** Lanes read at once. */
const lanesPageMax = 200;

/**
 * The truth of lanes, page by page; only of those that are wanted, and without the partner's side.
 * @throws where something of a lane has left the tables: a lane is judged by its whole history
 */
async function* readLanes(
  client: Client,
  encryptionKey: string,
  isWanted: (lane: LaneRow) => boolean,
): AsyncGenerator<Pick<LaneHistory, 'lane' | 'intents' | 'events'>> {
  const keyring = new Keyring(encryptionKey.split(',').map((key) => Buffer.from(key, 'base64')));
  for (let after = 0; ;) {
    const rows = await rowsOf<StoredLane>(client, lanesStatement, [after, lanesPageMax]);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.laneId;
    const lanes = rows.filter(isWanted);
    if (lanes.length > 0) yield* openLanes(client, keyring, lanes);
  }
}

async function* openLanes(
  client: Client,
  keyring: Keyring,
  lanes: readonly StoredLane[],
): AsyncGenerator<Pick<LaneHistory, 'lane' | 'intents' | 'events'>> {
  const laneIds = lanes.map(({ laneId }) => laneId);
  const intents = await rowsOf<StoredIntent>(client, intentsStatement, [laneIds]);
  const events = await rowsOf<StoredEvent>(client, eventsStatement, [laneIds]);
  const intentsOf = Map.groupBy(intents, (row) => row.lane_id);
  const eventsOf = Map.groupBy(events, (row) => row.lane_id);
  for (const { wrapped_key: wrapped, has_left: hasLeft, ...lane } of lanes) {
    if (hasLeft) throw new Error(`lane ${lane.laneId}: intents have left`);
    const open = openerOf(keyring, lane.laneId, wrapped === null ? [] : [wrapped]);
    const reading = { open, contentOf: transactionContent };
    yield {
      lane,
      intents: (intentsOf.get(lane.laneId) ?? []).map((row) => intentRow(row, reading)),
      events: (eventsOf.get(lane.laneId) ?? []).map((row) => eventRow(row, reading)),
    };
  }
}

/** Columns that hold text of ours or others' in the clear. Names of members, stores and purchases are meant to be there. */
const clearColumns = [
  ['intent_event', 'data'],
  ['quarantine', 'detail'],
  ['pause', 'reason'],
  ['replica', 'programs'],
  ['source_gap', 'accepted_reason'],
] as const;

const foundMax = 20;

/** What the tables show of these secrets: only rows that show one, so that little is read. */
async function readClearTexts(client: Client, secrets: readonly string[]): Promise<ClearText[]> {
  const found: ClearText[] = [];
  if (secrets.length === 0) return found;
  for (const [table, column] of clearColumns) {
    const { rows } = await client.query<{ text: string }>(
      `SELECT ${column}::text AS text FROM ${table}
       WHERE EXISTS (SELECT FROM unnest($1::text[]) s WHERE strpos(${column}::text, s) > 0) LIMIT ${foundMax}`,
      [secrets],
    );
    found.push(...rows.map(({ text }) => ({ where: `${table}.${column}`, text })));
  }
  return found;
}

/** Looks at a run while it is under way: stored offsets, and every so many lanes (I11, I12, I18, I19). */
export class RunSampler {
  readonly offsets: OffsetSample[] = [];
  readonly lanes = new Map<number, LaneSample[]>();

  /** @param every one lane of so many is looked at */
  constructor(
    private readonly encryptionKey: string,
    private readonly every: number,
  ) {}

  /** One look. All rows of a lane come from one snapshot. */
  async look(client: Client): Promise<void> {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      const offsets = await rowsOf<OffsetSample>(client, offsetsStatement);
      this.offsets.push(...offsets);
      const takenAt = offsets[0]?.takenAt ?? 0;
      const isWanted = ({ laneId }: LaneRow): boolean => laneId % this.every === 0;
      for await (const { lane, intents, events } of readLanes(client, this.encryptionKey, isWanted)) {
        const { laneId, version, epoch, head } = lane;
        const digest = truthDigest({ intents, events }, version);
        this.lanes.set(laneId, [...(this.lanes.get(laneId) ?? []), { takenAt, version, epoch, head, digest }]);
      }
    } finally {
      await client.query('COMMIT');
    }
  }
}

/** Each event of a record of a form of its own; what it is where it means none, is not known here. */
function logRecords(record: TopicRecord, { programs, meantBy }: RunKnowledge): LogRecord[] {
  const meant = meantBy?.(record.message.value?.toString('utf8') ?? '') ?? null;
  if (meant === null) return [logRecord(record, programs)];
  if (meant.length === 0) return [];
  return meant.map((event, index) => {
    const told = logRecord({ ...record, message: { ...record.message, ...event } as TopicRecord['message'] }, programs);
    return meant.length === 1 ? told : { ...told, ordinal: index + 1 };
  });
}

/** What stands in a topic was acknowledged, or might as well have been. */
function logRecord({ topic, partition, offset, message }: TopicRecord, programs: ProgramsFile): LogRecord {
  const { value, headers, timestamp } = message;
  const described = describeRecord({ value, headers, at: Number(timestamp) }, programs);
  return { topic, incarnation: 1, partition, offset, isAcknowledged: true, ...described };
}

interface OutcomeMessage {
  readonly id: string;
  readonly type: string;
  readonly data: {
    readonly program: string;
    readonly memberId: string;
    readonly intentId?: string;
    readonly passId?: number | null;
  };
}

/** What a listener to the outcomes topic hears. */
function heardOutcome({ message: { value } }: TopicRecord): HeardOutcome {
  const { id, type, data } = JSON.parse(String(value)) as OutcomeMessage;
  const seq = data.intentId === undefined ? null : Number(data.intentId.split('~').at(-1));
  return { id, name: type, program: data.program, memberId: data.memberId, seq, passId: data.passId ?? null };
}
