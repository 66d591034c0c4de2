import type { Database } from '#platform';

import type { ExaminedLane } from './examine-lanes.js';
import { examineLanes } from './examine-lanes.js';
import type { RecordingPlace } from './find-leaving-lanes.js';
import { findLeavingLanes } from './find-leaving-lanes.js';
import type { LeavingIntent, LeavingLimits } from './leaving-intents.js';

/** Lanes whose facts are in memory at once. */
const examinedLanesMax = 50;

export interface LeavingLane {
  readonly laneId: number;
  readonly leaving: readonly LeavingIntent[];
}

export interface GatherRequest {
  readonly limits: Omit<LeavingLimits, 'wanted'>;
  readonly after: RecordingPlace;
  /** It ends with the lanes, examined together, in which so many intents came together. */
  readonly intentsMax: number;
  /** Given lanes with what may leave them, some at a time; each lane once. */
  readonly take: (lanes: readonly LeavingLane[]) => Promise<void>;
  /** Called every now and then; throwing ends it. */
  readonly stillOurs: () => Promise<void>;
}

/** What a look came to. */
export interface Gathered {
  readonly intents: number;
  readonly facts: number;
  readonly lanesDiffering: number;
  /** Null: all recordings have been looked through. */
  readonly next: RecordingPlace | null;
}

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

function isLeaving(lane: ExaminedLane): lane is Extract<ExaminedLane, { isBroken: false }> {
  return !lane.isBroken && lane.leaving.length > 0;
}

/** Looks through recordings, oldest first, for intents that may leave. Changes nothing. */
export async function gatherLeaving(database: Database, request: GatherRequest): Promise<Gathered> {
  const { limits, intentsMax, stillOurs } = request;
  const seen = new Set<number>();
  const found = { intents: 0, facts: 0, lanesDiffering: 0 };
  for (let after: RecordingPlace | null = request.after; after !== null;) {
    // Also where nothing leaves: such a look can be long.
    await stillOurs();
    const { firsts, next } = await findLeavingLanes(database, limits.before, after);
    const fresh = firsts.filter(({ laneId }) => !seen.has(laneId));
    for (const chunk of chunksOf(fresh, examinedLanesMax)) {
      await gatherChunk(database, request, { chunk, found });
      // All recordings up to the last of these places belong to lanes that were examined.
      if (found.intents >= intentsMax) return { ...found, next: chunk.at(-1) ?? next };
    }
    for (const { laneId } of fresh) seen.add(laneId);
    after = next;
  }
  return { ...found, next: null };
}

async function gatherChunk(
  database: Database,
  { limits, take }: GatherRequest,
  {
    chunk,
    found,
  }: {
    readonly chunk: readonly RecordingPlace[];
    readonly found: { -readonly [Count in 'intents' | 'facts' | 'lanesDiffering']: number };
  },
): Promise<void> {
  const laneIds = chunk.map(({ laneId }) => laneId);
  const lanes = await database.transaction('examine_lanes', (session) => examineLanes(session, laneIds, limits));
  const leaving = lanes.filter(isLeaving);
  await take(leaving);
  const intents = leaving.flatMap((lane) => lane.leaving);
  found.intents += intents.length;
  found.facts += intents.reduce((sum, { facts }) => sum + facts, 0);
  found.lanesDiffering += lanes.filter(({ isBroken }) => isBroken).length;
}
