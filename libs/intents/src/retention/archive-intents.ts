import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { IdentityPlace } from '#domain';
import type { Clock, Database, Random, SqlStatement } from '#platform';
import { DatabaseError } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { Gathered, ExpiringLane, ExpiryLimits, RecordingPlace } from './expiring-intents.js';
import { gatherExpiring } from './expiring-intents.js';
import type { ArchivedLane } from './purge-lane.js';

/** Intents in one file, about: the lanes that were examined last are written whole. */
const archiveIntentsMax = 10_000;

export interface ArchiveTools {
  readonly database: Database;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  readonly folder: string;
  /** Called every now and then; throwing ends it. */
  readonly stillOurs: () => Promise<void>;
}

/** A file that is on disk and known, and what lies in it. Null: there was nothing. */
interface Archived {
  readonly file: string | null;
  readonly lanes: readonly ArchivedLane[];
  readonly gathered: Gathered;
}

/** Such as `intents-20261122T154000Z-1a2b3c4d.ndjson`: in the order of their making. */
function nameOf({ clock, random }: ArchiveTools): string {
  const at = new Date(clock.now()).toISOString().replace(/[-:]|\.\d+/g, '');
  return `intents-${at}-${Buffer.from(random.bytes(4)).toString('hex')}.ndjson`;
}

async function writeLane(file: ArchiveFile, { laneId, expiring }: ExpiringLane, tools: ArchiveTools): Promise<void> {
  for (let from = 0; from < expiring.length; from += archiveReadMax) {
    const places = expiring.slice(from, from + archiveReadMax).map(({ seq }) => ({ laneId, seq }));
    await file.add(await loadArchiveLines(tools.database, places));
  }
}

/** Writes what may leave into one file, and makes it known. Nothing leaves yet. */
export async function archiveExpiring(
  tools: ArchiveTools,
  from: { readonly limits: Omit<ExpiryLimits, 'wanted'>; readonly after: RecordingPlace },
): Promise<Archived> {
  const lanes: ExpiringLane[] = [];
  let finished: FinishedFile | null = null;
  const file = await ArchiveFile.open(tools.folder, nameOf(tools));
  const take = async (expiring: readonly ExpiringLane[]): Promise<void> => {
    for (const lane of expiring) {
      await tools.stillOurs();
      await writeLane(file, lane, tools);
    }
    lanes.push(...expiring.map(({ laneId, expiring: intents }) => ({ laneId, expiring: intents })));
  };
  try {
    const gathered = await gatherExpiring(tools.database, { ...from, ...tools, intentsMax: archiveIntentsMax, take });
    if (lanes.length === 0) {
      await file.discard();
      return { file: null, lanes: [], gathered };
    }
    finished = await file.finish();
    const archiveId = await makeKnown(finished, lanes, tools);
    return { file: finished.file, lanes: lanes.map((lane) => toArchived(lane, archiveId)), gathered };
  } catch (error) {
    if (finished === null || !mayBeKnown(error)) await file.discard().catch(() => undefined);
    throw error;
  }
}

/** Where the connection broke nobody can say whether the file was made known. */
function mayBeKnown(error: unknown): boolean {
  return error instanceof DatabaseError && error.kind === 'unavailable';
}

function toArchived({ laneId, expiring }: ExpiringLane, archiveId: number): ArchivedLane {
  return { laneId, archiveId, facts: new Map(expiring.map(({ seq, facts }) => [seq, facts])) };
}

async function makeKnown(file: FinishedFile, lanes: readonly ExpiringLane[], tools: ArchiveTools): Promise<number> {
  const intents = lanes.flatMap(({ expiring }) => expiring);
  const content = {
    intents: intents.length,
    // Spread as arguments, very many of them overflow the stack.
    firstPosition: intents.reduce((least, { firstPosition }) => Math.min(least, firstPosition), Infinity),
    lastPosition: intents.reduce((most, { lastPosition }) => Math.max(most, lastPosition), 0),
    archivedAt: tools.clock.now(),
  };
  const manifest = { format: 1, file: file.file, lines: file.lines, bytes: file.bytes, ...content };
  const described = { ...manifest, archivedAt: new Date(content.archivedAt).toISOString() };
  await writeManifest(tools.folder, file.file, { ...described, sha256: Buffer.from(file.sha256).toString('hex') });
  return recordArchive(tools.database, file, content);
}

/** Intents read at once: a source record may have 1 MiB, and is written in hex. */
const archiveReadMax = 25;

/** Whole rows as Postgres writes them: what is sealed stays sealed, nothing is rounded. */
export const linesStatement: SqlStatement = {
  name: 'load_archive_lines',
  text: `
SELECT line FROM (
  SELECT lane_id, version, json_build_object('table', 'intent', 'row', to_json(i))::text AS line
  FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, seq) JOIN intent i USING (lane_id, seq)
  UNION ALL
  SELECT e.lane_id, e.version, json_build_object('table', 'intent_event', 'row', to_json(e))::text
  FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, seq)
  CROSS JOIN LATERAL (SELECT * FROM intent_history h WHERE h.lane_id = w.lane_id AND h.seq = w.seq OFFSET 0) e
) fact ORDER BY lane_id, version`,
};

/** All rows of these intents, one line of JSON each. */
async function loadArchiveLines(database: Database, places: readonly IdentityPlace[]): Promise<string[]> {
  if (places.length > archiveReadMax) throw new RangeError(`at most ${archiveReadMax} intents at once`);
  const parameters = [places.map(({ laneId }) => laneId), places.map(({ seq }) => seq)];
  const { rows } = await database.execute<{ line: string }>(linesStatement, parameters);
  return rows.map(({ line }) => line);
}

const recordStatement: SqlStatement = {
  name: 'record_archive',
  text: `
INSERT INTO archive (file, sha256, bytes, intents, facts, first_pos, last_pos, archived_at)
VALUES ($1, $2::bytea, $3, $4, $5, $6, $7, $8::timestamptz) RETURNING archive_id AS "archiveId"`,
};

/** What a file holds. Positions: of its first and its last fact. */
interface ArchiveContent {
  readonly intents: number;
  readonly firstPosition: number;
  readonly lastPosition: number;
  readonly archivedAt: number;
}

/** Makes a file known; only what lies in a known one may leave. @returns its number */
async function recordArchive(database: Database, file: FinishedFile, content: ArchiveContent): Promise<number> {
  const { rows } = await database.execute<{ archiveId: number }>(recordStatement, [
    file.file,
    file.sha256,
    file.bytes,
    content.intents,
    file.lines,
    content.firstPosition,
    content.lastPosition,
    timestamp(content.archivedAt),
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error('the archive was not recorded');
  return row.archiveId;
}

const manifestEnd = '.manifest.json';

/** A finished file: on disk, whatever happens to the machine. */
interface FinishedFile {
  readonly file: string;
  readonly sha256: Uint8Array;
  readonly bytes: number;
  readonly lines: number;
}

/** A file of lines under a name of its own until it is whole. */
class ArchiveFile {
  private readonly hash = createHash('sha256');
  private bytes = 0;
  private lines = 0;

  private constructor(
    private readonly folder: string,
    private readonly name: string,
    private readonly handle: FileHandle,
  ) {}

  /** @param name must not exist yet */
  static async open(folder: string, name: string): Promise<ArchiveFile> {
    await mkdir(folder, { recursive: true });
    return new ArchiveFile(folder, name, await open(join(folder, `${name}.partial`), 'wx', 0o600));
  }

  async add(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    const text = Buffer.from(`${lines.join('\n')}\n`, 'utf8');
    this.hash.update(text);
    this.bytes += text.length;
    this.lines += lines.length;
    await this.handle.appendFile(text);
  }

  /** From now on it is there, and stays. */
  async finish(): Promise<FinishedFile> {
    await this.handle.sync();
    await this.handle.close();
    await rename(join(this.folder, `${this.name}.partial`), join(this.folder, this.name));
    await syncFolder(this.folder);
    return { file: this.name, sha256: this.hash.digest(), bytes: this.bytes, lines: this.lines };
  }

  /** Also what is finished already, and what is said of it. */
  async discard(): Promise<void> {
    await this.handle.close();
    for (const end of ['.partial', '', manifestEnd]) {
      await rm(join(this.folder, `${this.name}${end}`), { force: true });
    }
  }
}

/** What a file beside the archive says of it: on disk when this is done. */
async function writeManifest(folder: string, file: string, manifest: object): Promise<void> {
  const handle = await open(join(folder, `${file}${manifestEnd}`), 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(folder);
}

/** A name is only on disk once its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
