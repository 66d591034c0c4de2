import { Controller, HttpCode, Inject, Post } from '@nestjs/common';
import type { Database } from '#platform';
import { FaultInjector } from '../faults/fault-injector.js';
import { Catalogue } from '../seed/catalogue.js';
import { DATABASE } from '../store/statement.js';
import { resetState } from './reset-state.js';

/** Back to the seed: its catalogue, no passes, no ledger, no faults. No token is needed, and tokens stay good. */
@Controller('__reset')
export class ResetController {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly faults: FaultInjector,
    private readonly catalogue: Catalogue,
  ) {}

  @Post()
  @HttpCode(200)
  async reset(): Promise<{ readonly message: string }> {
    this.faults.put({ seed: 0, rules: [] });
    await resetState(this.database, this.catalogue);
    return { message: 'The sandbox is as its seed left it' };
  }
}
