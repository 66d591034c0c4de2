import type { IngestKeys } from '#intents';
import { MemberKeys, recordBatch, startOffset } from '#intents';
import type { Database } from '#platform';
import { SystemRandom } from '#platform';
import { testDatabase } from '#test-support';

import type { RoutingPrograms } from '../loop/prepare-record.js';
import { prepareRecord } from '../loop/prepare-record.js';
import type { EventSketch } from './events.js';
import { eventRecord } from './events.js';
import { openDatabase, sharedKeys } from './ingest-fixture.js';

/** The clock of these specs, epoch ms: an hour after the samples' time. */
export const now = Date.parse('2026-11-21T10:15:04Z');

/** A time of day by the shop's clock. */
export const at = (time: string): object => ({ time: `2026-11-21T${time}:00Z` });

/** What came of an event: the type of what it is, its purchase or refund, its member, and how it stands. */
const intentsText = `
SELECT concat_ws(' ', m.member_id, i.purchase_id, i.amount, COALESCE(s.status, 'pending'), s.reason) AS line
FROM intent i JOIN member m USING (lane_id) LEFT JOIN intent_standing s USING (lane_id, seq)
ORDER BY m.member_id, i.seq`;

/** Events as a shop sends them, decoded, routed and recorded on a real database: each call is one chunk. */
export class Till {
  private offset = 0;

  private constructor(
    readonly database: Database,
    readonly keys: IngestKeys,
    private readonly programs: RoutingPrograms,
    readonly close: () => Promise<void>,
  ) {}

  static async open(programs: RoutingPrograms): Promise<Till> {
    const test = await testDatabase();
    const { database, source } = await openDatabase(test.url, 4);
    const { keyring, ...secrets } = sharedKeys();
    const random = new SystemRandom();
    const keys = { members: new MemberKeys(keyring, random), ...secrets, random };
    const till = new Till(database, keys, programs, async () => {
      await source.destroy();
      await test.dispose();
    });
    await startOffset(database, till.source, 0);
    return till;
  }

  private readonly source = { clusterId: 'c1', topic: 'loyalty.purchases', incarnation: 1, partition: 0 };

  /** @returns what became of each: `recorded`, or the reason why not */
  async sends(...sketches: readonly EventSketch[]): Promise<string[]> {
    const fromOffset = this.offset;
    const { file, hash } = this.programs;
    const context = { source: this.source, programs: file, now };
    const records = sketches.map((sketch, index) => prepareRecord(eventRecord(sketch, fromOffset + index), context));
    this.offset += sketches.length;
    const range = { fromOffset, nextOffset: this.offset };
    const batch = { source: this.source, records, ...range, now, programsHash: hash };
    const { results } = await recordBatch(this.database, batch, this.keys);
    return results.map((result) => ('reason' in result ? result.reason : result.kind));
  }

  /** `MEMBER PURCHASE AMOUNT STATUS REASON` of each intent, member by member in order. */
  async intents(): Promise<string[]> {
    const { rows } = await this.database.execute<{ line: string }>({ name: 'spec intents', text: intentsText });
    return rows.map(({ line }) => line);
  }

  /** Reason and detail of what was set aside, in order. */
  async setAside(): Promise<string[]> {
    const text = `SELECT reason || ': ' || detail AS line FROM quarantine ORDER BY quarantine_id`;
    const { rows } = await this.database.execute<{ line: string }>({ name: 'spec quarantine', text });
    return rows.map(({ line }) => line);
  }
}
