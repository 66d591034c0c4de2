import type { Clock, Database, Random } from '#platform';
import { DatabaseError } from '#platform';

import type { FinishedFile } from './archive-file.js';
import { ArchiveFile, writeManifest } from './archive-file.js';
import type { RecordingPlace } from './find-leaving-lanes.js';
import type { Gathered, LeavingLane } from './gather-leaving.js';
import { gatherLeaving } from './gather-leaving.js';
import type { LeavingLimits } from './leaving-intents.js';
import { archiveReadMax, loadArchiveLines } from './load-archive-lines.js';
import type { ArchivedLane } from './purge-lane.js';
import { recordArchive } from './record-archive.js';

/** Intents in one file, about: the lanes that were examined last are written whole. */
export const archiveIntentsMax = 10_000;

export interface ArchiveTools {
  readonly database: Database;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  readonly folder: string;
  /** Called every now and then; throwing ends it. */
  readonly stillOurs: () => Promise<void>;
}

/** A file that is on disk and known, and what lies in it. Null: there was nothing. */
export interface Archived {
  readonly file: string | null;
  readonly lanes: readonly ArchivedLane[];
  readonly gathered: Gathered;
}

/** Such as `intents-20261122T154000Z-1a2b3c4d.ndjson`: in the order of their making. */
function nameOf({ clock, random }: ArchiveTools): string {
  const at = new Date(clock.now()).toISOString().replace(/[-:]|\.\d+/g, '');
  return `intents-${at}-${Buffer.from(random.bytes(4)).toString('hex')}.ndjson`;
}

async function writeLane(file: ArchiveFile, { laneId, leaving }: LeavingLane, tools: ArchiveTools): Promise<void> {
  for (let from = 0; from < leaving.length; from += archiveReadMax) {
    const places = leaving.slice(from, from + archiveReadMax).map(({ seq }) => ({ laneId, seq }));
    await file.add(await loadArchiveLines(tools.database, places));
  }
}

/** Writes what may leave into one file, and makes it known. Nothing leaves yet. */
export async function archiveLeaving(
  tools: ArchiveTools,
  from: { readonly limits: Omit<LeavingLimits, 'wanted'>; readonly after: RecordingPlace },
): Promise<Archived> {
  const lanes: LeavingLane[] = [];
  let finished: FinishedFile | null = null;
  const file = await ArchiveFile.open(tools.folder, nameOf(tools));
  const take = async (leaving: readonly LeavingLane[]): Promise<void> => {
    for (const lane of leaving) {
      await tools.stillOurs();
      await writeLane(file, lane, tools);
    }
    lanes.push(...leaving.map(({ laneId, leaving: intents }) => ({ laneId, leaving: intents })));
  };
  try {
    const gathered = await gatherLeaving(tools.database, { ...from, ...tools, intentsMax: archiveIntentsMax, take });
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

function toArchived({ laneId, leaving }: LeavingLane, archiveId: number): ArchivedLane {
  return { laneId, archiveId, facts: new Map(leaving.map(({ seq, facts }) => [seq, facts])) };
}

async function makeKnown(file: FinishedFile, lanes: readonly LeavingLane[], tools: ArchiveTools): Promise<number> {
  const intents = lanes.flatMap(({ leaving }) => leaving);
  const content = {
    intents: intents.length,
    // Spread as arguments, very many of them overflow the stack.
    firstPosition: intents.reduce((least, { firstPosition }) => Math.min(least, firstPosition), Infinity),
    lastPosition: intents.reduce((most, { lastPosition }) => Math.max(most, lastPosition), 0),
    archivedAt: tools.clock.now(),
  };
  const manifest = { format: 1, file: file.file, lines: file.lines, bytes: file.bytes, ...content };
  const told = { ...manifest, archivedAt: new Date(content.archivedAt).toISOString() };
  await writeManifest(tools.folder, file.file, { ...told, sha256: Buffer.from(file.sha256).toString('hex') });
  return recordArchive(tools.database, file, content);
}
