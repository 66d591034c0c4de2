import { Controller, HttpCode, Post } from '@nestjs/common';
import { Database } from '#platform';
import { lockCounter } from '../effects/state-store.js';
import { FaultInjector } from '../faults/fault-injector.js';
import { statement } from '../store/database.js';
import { firstCounter } from '../store/schema.js';
import { Catalogue } from './catalogue.js';

const truncateState = statement(
  'truncate_state',
  `TRUNCATE wallet_sandbox.person, wallet_sandbox.pass, wallet_sandbox.transaction, wallet_sandbox.unique_value,
     wallet_sandbox.meta_data_value, wallet_sandbox.catalogue_change, wallet_sandbox.schedule,
     wallet_sandbox.ledger`,
);
const resetCounter = statement(
  'reset_counter',
  `UPDATE wallet_sandbox.counter SET last_id = $1, last_seq = $2, catalogue_version = catalogue_version + 1`,
);

/** Forgets every person, pass, schedule, transaction, ledger entry and change of the catalogue; numbers start anew. */
async function resetState(database: Database, catalogue: Catalogue): Promise<void> {
  const version = await database.transaction('sandbox_reset', async (session) => {
    const { catalogueVersion } = await lockCounter(session);
    await session.query(truncateState);
    await session.query(resetCounter, [firstCounter.lastId, firstCounter.lastSeq]);
    return catalogueVersion + 1;
  });
  catalogue.restore([], version);
}

/** Back to the seed: its catalogue, no passes, no schedules, no faults. No token of the partner is needed, and tokens stay good. */
@Controller('__reset')
export class ResetController {
  constructor(
    private readonly faults: FaultInjector,
    private readonly catalogue: Catalogue,
    private readonly database: Database,
  ) {}

  @Post()
  @HttpCode(200)
  async reset(): Promise<{ readonly message: string }> {
    this.faults.reset();
    await resetState(this.database, this.catalogue);
    return { message: 'The sandbox is as its seed left it' };
  }
}
