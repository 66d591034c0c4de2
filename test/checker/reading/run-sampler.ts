import type { Client } from 'pg';

import type { LaneRow, LaneSample } from '../history/lane-history.js';
import type { OffsetSample } from '../history/run-history.js';
import { truthDigest } from '../lane/truth-digest.js';
import type { MemberSeals } from './member-seals.js';
import { readLanes } from './read-lanes.js';
import { readOffsets } from './read-offsets.js';

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
      const wanted = { isWanted, archived: null };
      for await (const { lane, intents, events } of readLanes(client, this.seals, wanted)) {
        const { laneId, version, epoch, head } = lane;
        const digest = truthDigest({ intents, events }, version);
        this.lanes.set(laneId, [...(this.lanes.get(laneId) ?? []), { takenAt, version, epoch, head, digest }]);
      }
    } finally {
      await client.query('COMMIT');
    }
  }
}
