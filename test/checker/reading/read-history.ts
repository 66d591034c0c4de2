import { Client } from 'pg';

import type { ProgramsFile } from '#contracts';

import type { LaneHistory, LaneRow } from '../history/lane-history.js';
import type { Effect } from '../history/partner-history.js';
import type { DedupRow, LogRecord, QuarantineRow, RunHistory, RunNotes } from '../history/run-history.js';
import { readArchivedRows } from './archived-rows.js';
import { MemberSeals } from './member-seals.js';
import { readClearTexts } from './read-clear-texts.js';
import { readLanes } from './read-lanes.js';
import type { ProgramNames, Share } from './read-ledger.js';
import { isInShare, memberName, programName, readLedger } from './read-ledger.js';
import { readOffsets } from './read-offsets.js';
import type { RunSampler } from './run-sampler.js';

export interface ReadOptions {
  readonly databaseUrl: string;
  /** Base of the sandbox's own addresses, such as `http://127.0.0.1:4010`. */
  readonly sandboxUrl: string;
  /** As `LOYALTYD_ENCRYPTION_KEY`: what was asked of the partner is sealed. */
  readonly encryptionKey: string;
  readonly programs: ProgramsFile;
  /** What was produced, with its places: `readLog`. */
  readonly produced: readonly LogRecord[];
  /** As `RETENTION_ARCHIVE_DIR`: what has left the tables is read from there. */
  readonly archiveFolder?: string;
  readonly notes?: Partial<RunNotes>;
  /** What was seen meanwhile: `RunSampler`. */
  readonly samples?: Pick<RunSampler, 'offsets' | 'lanes'>;
  /** Further evidence, as far as there is any. */
  readonly more?: Pick<RunHistory, 'answers' | 'outcomes' | 'requests' | 'secrets' | 'clearTexts'>;
}

/** A run as it stands in the database and at the partner. Lanes are loaded as they are asked for, each once. */
export interface ReadRun {
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
 * 200 bytes a record) and a bounded share of the ledger; lanes come page by page. `run.strayEffects` is complete when
 * the lanes have all been read. The client's connection is the caller's.
 */
export async function readHistory(client: Client, options: ReadOptions): Promise<ReadRun> {
  const { programs, produced, samples, more = {} } = options;
  const secrets = more.secrets ?? [];
  const strayEffects: Effect[] = [];
  const run: RunHistory = {
    ...more,
    programs: programs.programs,
    log: produced,
    dedup: await readDedup(client),
    quarantine: await readQuarantine(client),
    offsets: [...(samples?.offsets ?? []), ...(await readOffsets(client))],
    strayEffects,
    notes: { ...usualNotes, ...options.notes },
    clearTexts: [...(more.clearTexts ?? []), ...(await readClearTexts(client, secrets))],
  };
  return { run, lanes: readLanesWithEffects(client, options, strayEffects) };
}

/** Opens a connection of its own and hands the history over; the lanes must be read before `use` ends. */
export async function withHistory<T>(options: ReadOptions, use: (read: ReadRun) => Promise<T>): Promise<T> {
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
    const effects = await readLedger(options.sandboxUrl, names, share);
    if (effects === null && index > 0) throw new Error('the ledger grows while it is being read');
    if (effects === null) {
      shares *= 4;
      index = -1;
    } else {
      yield* readShare(client, options, { share, effects });
      for (const own of effects.values()) stray.push(...own);
    }
  }
}

/** The lanes of a share of the members; their effects are taken out of the map. */
async function* readShare(
  client: Client,
  { encryptionKey, samples, archiveFolder, notes }: ReadOptions,
  { share, effects }: { readonly share: Share; readonly effects: Map<string, Effect[]> },
): AsyncGenerator<LaneHistory> {
  const seals = new MemberSeals(encryptionKey);
  const isWanted = ({ memberId }: LaneRow): boolean => isInShare(memberId, share);
  const archived = archiveFolder === undefined ? null : await readArchivedRows(archiveFolder);
  for await (const history of readLanes(client, seals, { isWanted, archived })) {
    const { laneId, program, memberId } = history.lane;
    const name = memberName(program, memberId);
    const own = effects.get(name) ?? [];
    yield { ...history, ...passIdsOf(own, notes), effects: own, samples: samples?.lanes.get(laneId) ?? [] };
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
