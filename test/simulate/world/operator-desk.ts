import { acceptGap, liftPause, listPauses } from '#intents';
import type { Database } from '#platform';

import { SimDatabase } from '../database/sim-database.js';
import { SimProcess } from '../kernel/sim-process.js';
import type { Surroundings } from './surroundings.js';

/** A person's hand in the tables: what fails is tried again by hand, which is the world's business. */
export class OperatorDesk {
  private readonly database: Database;

  constructor(private readonly around: Surroundings) {
    const { timeline, chance, database } = around;
    const process = new SimProcess('operator', timeline);
    this.database = new SimDatabase(database, process, { timeline, chance: chance.fork('operator') });
  }

  act(what: string, run: (database: Database, now: number) => Promise<unknown>): void {
    const { timeline } = this.around;
    run(this.database, Math.floor(timeline.now)).catch(() => {
      timeline.trace.note(timeline.now, `operator ${what} failed`);
    });
  }

  /** Lets partitions go on that stand before records which retention has deleted. */
  acceptGaps(): void {
    const { broker } = this.around;
    const logs = broker.topicNames.flatMap((topic) => broker.logsOf(topic)).filter(({ low }) => low > 0);
    this.act('accepts gaps', async (database, now) => {
      for (const { topic, partition } of logs) {
        await acceptGap(database, { topic, partition, by: 'sim', reason: 'gone', now });
      }
    });
  }

  /** Ends every pause in force, the automatic ones too. */
  liftAll(): void {
    this.act('lifts', async (database, now) => {
      for (const { program, operation } of await listPauses(database)) {
        await liftPause(database, { program, operation, by: 'sim', reason: 'mended', now });
      }
    });
  }
}
