import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '#platform';
import { BatchQueue } from '../effects/batch-queue.js';
import type { Program } from '../seed/catalogue.js';
import { DATABASE } from '../store/statement.js';
import { fitsHandle, type Pass, type PassHandle } from './pass.js';
import { selectPasses } from './select-passes.js';

const lookupBatchSizeMax = 200;

interface Lookup {
  readonly program: Program;
  readonly handle: PassHandle;
}

/** Finds passes for lookups, many at a time, beside the writer. */
@Injectable()
export class PassFinder {
  private readonly queue: BatchQueue<Lookup, readonly Pass[]>;

  constructor(@Inject(DATABASE) private readonly database: Database) {
    this.queue = new BatchQueue({ batchSizeMax: lookupBatchSizeMax, flush: (lookups) => this.findAll(lookups) });
  }

  /** The passes that fit, as last committed, the newest first. */
  find(program: Program, handle: PassHandle): Promise<readonly Pass[]> {
    return this.queue.add({ program, handle });
  }

  private async findAll(lookups: readonly Lookup[]): Promise<(readonly Pass[])[]> {
    const session = { query: this.database.execute.bind(this.database) };
    const passes = await selectPasses(
      session,
      lookups.map((lookup) => lookup.handle),
    );
    const byUniqueId = Map.groupBy(passes, (pass) => pass.uniqueId);
    return lookups.map((lookup) => {
      const { uniqueId } = lookup.handle;
      const candidates = uniqueId === undefined ? passes : (byUniqueId.get(uniqueId) ?? []);
      return candidates.filter((pass) => isMeant(pass, lookup)).sort((one, other) => other.passId - one.passId);
    });
  }
}

function isMeant(pass: Pass, { program, handle }: Lookup): boolean {
  return pass.brandId === program.brandId && pass.programId === program.programId && fitsHandle(pass, handle);
}
