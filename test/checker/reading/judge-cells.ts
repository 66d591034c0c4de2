import type { Verdict } from '../check-history.js';
import { judgeHistory } from '../check-history.js';
import type { LaneHistory } from '../history/lane-history.js';
import type { DedupRow, RunHistory } from '../history/run-history.js';
import type { ReadOptions } from './read-history.js';
import { withHistory } from './read-history.js';

/** Lanes are numbered in each database: further apart than this, no two of them share a number. */
const lanesPerCellMax = 1_000_000_000;

interface CellHistory {
  readonly run: RunHistory;
  readonly lanes: readonly LaneHistory[];
}

/**
 * Reads what several cells made of the same topics and judges it as one run: every record must have gone to one of
 * them. All in memory. Which transaction recorded what is left out: each cell has its own, over the same partitions.
 */
export async function judgeCells(
  databaseUrls: readonly string[],
  options: Omit<ReadOptions, 'databaseUrl'>,
): Promise<Verdict> {
  const cells: CellHistory[] = [];
  for (const databaseUrl of databaseUrls) cells.push(await readCell({ ...options, databaseUrl }, cells.length));
  return judgeHistory({ run: union(cells.map(({ run }) => run)), lanes: cells.flatMap(({ lanes }) => lanes) });
}

function readCell(options: ReadOptions, index: number): Promise<CellHistory> {
  const apart = (laneId: number): number => laneId + index * lanesPerCellMax;
  const dedupApart = (row: DedupRow): DedupRow => ({ ...row, laneId: row.laneId === null ? null : apart(row.laneId) });
  return withHistory(options, async ({ run, lanes }) => {
    const read: LaneHistory[] = [];
    for await (const { lane, intents, ...rest } of lanes) {
      const untied = intents.map(({ transaction: _transaction, ...intent }) => intent);
      read.push({ ...rest, lane: { ...lane, laneId: apart(lane.laneId) }, intents: untied });
    }
    return { run: { ...run, dedup: run.dedup.map(dedupApart) }, lanes: read };
  });
}

/** An effect is nobody's when it is a stranger to every cell. */
function union(runs: readonly RunHistory[]): RunHistory {
  const [first, ...others] = runs;
  if (first === undefined) throw new Error('there must be a cell');
  const isStray = (seq: number): boolean =>
    others.every(({ strayEffects }) => strayEffects.some((effect) => effect.seq === seq));
  return {
    ...first,
    dedup: runs.flatMap(({ dedup }) => dedup),
    quarantine: runs.flatMap(({ quarantine }) => quarantine),
    offsets: runs.flatMap(({ offsets }) => offsets),
    strayEffects: first.strayEffects.filter(({ seq }) => isStray(seq)),
    clearTexts: runs.flatMap(({ clearTexts }) => [...(clearTexts ?? [])]),
  };
}
