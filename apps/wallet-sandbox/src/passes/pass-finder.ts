import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '#platform';
import { BatchQueue } from '../effects/batch-queue.js';
import { WorkingSet } from '../effects/working-set.js';
import type { Program } from '../seed/catalogue.js';
import { DATABASE } from '../store/statement.js';
import type { Pass, PassHandle } from './pass.js';
import { selectPasses } from './select-passes.js';

const lookupBatchSizeMax = 200;

interface Lookup {
  readonly program: Program;
  readonly handle: PassHandle;
}

/** Finds passes for lookups, many at a time, beside the writer. */
@Injectable()
export class PassFinder {
  private readonly queue: BatchQueue<Lookup, Pass | null>;

  constructor(@Inject(DATABASE) private readonly database: Database) {
    this.queue = new BatchQueue({ batchSizeMax: lookupBatchSizeMax, flush: (lookups) => this.findAll(lookups) });
  }

  /** The pass as last committed, or null. */
  find(program: Program, handle: PassHandle): Promise<Pass | null> {
    return this.queue.add({ program, handle });
  }

  private async findAll(lookups: readonly Lookup[]): Promise<(Pass | null)[]> {
    const session = { query: this.database.execute.bind(this.database) };
    const passes = await selectPasses(
      session,
      lookups.map((lookup) => lookup.handle),
    );
    const state = new WorkingSet({ lastId: 0, lastSeq: 0, passes, persons: [], usedValues: [] });
    return lookups.map(({ program, handle }) => state.findPass(program, handle));
  }
}
