import { Controller, Get, Injectable, Query } from '@nestjs/common';
import { Database } from '#platform';
import { type LookupQuery, lookupQuerySchema } from '../contract/queries.js';
import type { Wording } from '../contract/wordings.js';
import { BatchQueue } from '../effects/batch-queue.js';
import { type Call, CurrentCall } from '../http/call.js';
import { PartnerEndpoint } from '../http/partner-endpoint.js';
import { refuse } from '../http/refusal.js';
import { Catalogue, type Program } from '../seed/catalogue.js';
import { Spelling } from '../spelling/spelling.js';
import { selectPasses } from './pass-store.js';
import { describeHandle, fitsHandle, type Pass, type PassHandle, toWalletPass } from './pass.js';
import { requireEmailIdentifier } from './unique-id.js';

const lookupBatchSizeMax = 200;

interface Lookup {
  readonly program: Program;
  readonly handle: PassHandle;
}

/** Finds passes for lookups, many at a time, beside the writer. */
@Injectable()
export class PassFinder {
  private readonly queue: BatchQueue<Lookup, readonly Pass[]>;

  constructor(private readonly database: Database) {
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

/**
 * 4.1: a pass by unique id, person id, or e-mail where the brand is so configured; all that is given must fit. Which one
 * of several passes is answered is not shown there: here it is the newest, unless the seed spells it otherwise.
 */
@Controller('brands/:brandId/programs/:programId/wallets')
export class LookUpController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly passes: PassFinder,
    private readonly spelling: Spelling,
  ) {}

  @Get()
  @PartnerEndpoint('lookup')
  async lookUp(@CurrentCall() call: Call, @Query({ schema: lookupQuerySchema }) query: LookupQuery): Promise<object> {
    const program = this.catalogue.program(call);
    const handle = toHandle(program, query, call.wording);
    const passes = await this.passes.find(program, { ...handle, asOf: call.asOf });
    const [newest, ...others] = passes.map((pass) => toWalletPass(pass, call.origin));
    if (newest !== undefined) return this.spelling.several([newest, ...others]);
    const { by, value } = describeHandle(handle);
    return refuse(400, call.wording.noSuchPass(by, value));
  }
}

function toHandle(program: Program, query: LookupQuery, wording: Wording): PassHandle {
  if (query.email !== undefined) requireEmailIdentifier(program, wording);
  return { uniqueId: query.unique_id, identity: query.email, personId: query.person_id };
}
