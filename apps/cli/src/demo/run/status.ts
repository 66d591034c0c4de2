import type { IngestedPosition, StandingCounts, WorkCounts } from '#intents';
import { countStandings, countWork, listPositions } from '#intents';
import type { Database } from '#platform';

import type { EmittedRecord } from '../audit/audit-input.js';

/** How far a run has come. */
export interface Status {
  readonly emitted: number;
  readonly ingested: number;
  readonly counts: StandingCounts;
  readonly work: WorkCounts;
}

/** How many records lie in each partition, by what the producer was told. */
export class EmittedCount {
  private readonly nextOffsets = new Map<string, number>();
  private count = 0;

  get total(): number {
    return this.count;
  }

  add(records: readonly EmittedRecord[]): void {
    this.count += records.length;
    for (const { topic, partition, offset } of records) this.nextOffsets.set(`${topic}/${partition}`, offset + 1);
  }

  /** How many of them ingest has taken in. The topics were empty at the beginning. */
  ingested(positions: readonly IngestedPosition[]): number {
    const known = new Map(positions.map(({ topic, partition, nextOffset }) => [`${topic}/${partition}`, nextOffset]));
    return [...this.nextOffsets].reduce((sum, [place, next]) => sum + Math.min(known.get(place) ?? 0, next), 0);
  }
}

export async function readStatus(database: Database, emitted: EmittedCount): Promise<Status> {
  // The work is counted after the positions: what was ingested by then is either settled or still among the work.
  const ingested = emitted.ingested(await listPositions(database));
  const [counts, work] = [await countStandings(database), await countWork(database)];
  return { emitted: emitted.total, ingested, counts, work };
}

/** True when everything emitted was ingested and nothing more will happen by itself. */
export function isSettled({ emitted, ingested, work }: Status): boolean {
  return ingested >= emitted && work.openLanes === 0;
}
