import { Client } from 'pg';

import type { ProgramsFile } from '#contracts';
import { isOthers } from '#shop';

import type { Verdict } from '../check-history.js';
import { HistoryChecker } from '../check-history.js';
import type {
  ClearText,
  DedupRow,
  Effect,
  LaneHistory,
  LaneRow,
  LaneSample,
  LogRecord,
  OffsetSample,
  QuarantineRow,
  RunHistory,
  RunNotes,
} from '../history.js';
import { truthDigest } from '../lane/truth-digest.js';
import { MemberSeals } from './member-seals.js';
import { readLanes } from './read-lanes.js';
import type { ProgramNames, SandboxControl, Share } from './read-ledger.js';
import { isInShare, memberName, programName, readLedger } from './read-ledger.js';

interface ReadOptions extends SandboxControl {
  readonly databaseUrl: string;
  /** As `LOYALTYD_ENCRYPTION_KEY`: what was asked of the partner is sealed. */
  readonly encryptionKey: string;
  readonly programs: ProgramsFile;
  /** What was produced, with its places: `readLog`. */
  readonly produced: readonly LogRecord[];
  readonly notes?: Partial<RunNotes>;
  /** What was seen meanwhile: `RunSampler`. */
  readonly samples?: Pick<RunSampler, 'offsets' | 'lanes'>;
  /** Further evidence, as far as there is any. */
  readonly more?: Pick<RunHistory, 'answers' | 'outcomes' | 'requests' | 'secrets' | 'clearTexts'>;
}

/** A run as it stands in the database and at the partner. Lanes are loaded as they are asked for, each once. */
interface ReadRun {
  readonly run: RunHistory;
  readonly lanes: AsyncIterable<LaneHistory>;
}

const usualNotes: RunNotes = {
  isAtRest: true,
  isStopped: false,
  wasRebuilt: false,
  clockToleranceMs: 150,
  replicas: 1,
  partner: { enforcesUniqueness: true, othersWrite: false, othersUseOurValues: false, hadPasses: false },
  faults: {},
};

/**
 * Reads the history of a real run: tables, ledger, and what the caller knows. In memory are the log, identities (about
 * 200 bytes a record) and a bounded share of the ledger; lanes come page by page. `run.unattributedEffects` is complete when
 * the lanes have all been read. The client's connection is the caller's.
 */
async function readHistory(client: Client, options: ReadOptions): Promise<ReadRun> {
  const { programs, produced, samples, more = {} } = options;
  const secrets = more.secrets ?? [];
  const unattributedEffects: Effect[] = [];
  const run: RunHistory = {
    ...more,
    programs: programs.programs,
    log: produced,
    dedup: await readDedup(client),
    quarantine: await readQuarantine(client),
    offsets: [...(samples?.offsets ?? []), ...(await readOffsets(client))],
    unattributedEffects,
    notes: { ...usualNotes, ...options.notes },
    clearTexts: [...(more.clearTexts ?? []), ...(await readClearTexts(client, secrets))],
  };
  return { run, lanes: readLanesWithEffects(client, options, unattributedEffects) };
}

/** Opens a connection of its own and hands the history over; the lanes must be read before `use` ends. */
async function withHistory<T>(options: ReadOptions, use: (read: ReadRun) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: options.databaseUrl });
  await client.connect();
  try {
    return await use(await readHistory(client, options));
  } finally {
    await client.end();
  }
}

async function* readLanesWithEffects(
  client: Client,
  options: ReadOptions,
  stray: Effect[],
): AsyncGenerator<LaneHistory> {
  const names = namesOf(options.programs);
  let shares = 1;
  for (let index = 0; index < shares; index += 1) {
    const share: Share = { index, of: shares };
    const effects = await readLedger(options, names, share);
    if (effects === null && index > 0) throw new Error('the ledger grows while it is being read');
    if (effects === null) {
      shares *= 4;
      index = -1;
    } else {
      yield* readShare(client, options, { share, effects });
      for (const own of effects.values()) stray.push(...own.filter((effect) => !isOthers(effect)));
    }
  }
}

/** The lanes of a share of the members; their effects are taken out of the map. */
async function* readShare(
  client: Client,
  { encryptionKey, samples, notes }: ReadOptions,
  { share, effects }: { readonly share: Share; readonly effects: Map<string, Effect[]> },
): AsyncGenerator<LaneHistory> {
  const seals = new MemberSeals(encryptionKey);
  const isWanted = ({ memberId }: LaneRow): boolean => isInShare(memberId, share);
  for await (const history of readLanes(client, seals, isWanted)) {
    const { laneId, program, memberId } = history.lane;
    const name = memberName(program, memberId);
    const all = effects.get(name) ?? [];
    const own = all.filter((effect) => !isOthers(effect));
    const known = { others: all.filter(isOthers), samples: samples?.lanes.get(laneId) ?? [] };
    yield { ...history, ...passIdsOf(own, notes), effects: own, ...known };
    effects.delete(name);
  }
}

/** No pass but those that the ledger knows, unless members had some before. */
function passIdsOf(effects: readonly Effect[], notes: ReadOptions['notes']): Pick<LaneHistory, 'passIds'> {
  if (notes?.partner?.hadPasses === true) return {};
  return { passIds: [...new Set(effects.flatMap(({ passId }) => passId ?? []))] };
}

function namesOf({ programs }: ProgramsFile): ProgramNames {
  return new Map(
    Object.entries(programs).map(([name, { brandId, programId }]) => [programName(brandId, programId), name]),
  );
}

async function readDedup(client: Client): Promise<DedupRow[]> {
  const { rows } = await client.query<DedupRow>(
    `SELECT encode(key, 'hex') AS key, kind, lane_id::float8 AS "laneId", seq FROM dedup`,
  );
  return rows;
}

async function readQuarantine(client: Client): Promise<QuarantineRow[]> {
  const { rows } = await client.query<QuarantineRow>(
    `SELECT topic, 1 AS incarnation, partition, kafka_offset::float8 AS "offset", reason FROM quarantine`,
  );
  return rows;
}

/** Where every partition stands now. */
async function readOffsets(client: Client): Promise<OffsetSample[]> {
  const { rows } = await client.query<OffsetSample>(
    `SELECT round(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "takenAt", topic, incarnation, partition,
       next_offset::float8 AS "nextOffset" FROM kafka_offset`,
  );
  return rows;
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
    private readonly seals: MemberSeals,
    private readonly every: number,
  ) {}

  /** One look. All rows of a lane come from one snapshot. */
  async look(client: Client): Promise<void> {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      const offsets = await readOffsets(client);
      this.offsets.push(...offsets);
      const takenAt = offsets[0]?.takenAt ?? 0;
      const isWanted = ({ laneId }: LaneRow): boolean => laneId % this.every === 0;
      for await (const { lane, intents, events } of readLanes(client, this.seals, isWanted)) {
        const { laneId, version, epoch, head } = lane;
        const digest = truthDigest({ intents, events }, version);
        this.lanes.set(laneId, [...(this.lanes.get(laneId) ?? []), { takenAt, version, epoch, head, digest }]);
      }
    } finally {
      await client.query('COMMIT');
    }
  }
}

/** Reads a real run and judges it, lane by lane. */
export async function judgeRun(options: ReadOptions): Promise<Verdict> {
  return withHistory(options, async ({ run, lanes }) => {
    const checker = new HistoryChecker(run);
    for await (const lane of lanes) checker.check(lane);
    return checker.finish();
  });
}
