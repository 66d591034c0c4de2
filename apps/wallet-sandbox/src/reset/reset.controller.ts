import { Controller, HttpCode, Inject, Post } from '@nestjs/common';
import type { Database } from '#platform';
import { FaultInjector } from '../faults/fault-injector.js';
import { DATABASE } from '../store/statement.js';
import { resetState } from './reset-state.js';

/** Back to the seed: no passes, no ledger, no faults; no token is needed. */
@Controller('__reset')
export class ResetController {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly faults: FaultInjector,
  ) {}

  @Post()
  @HttpCode(200)
  async reset(): Promise<{ readonly message: string }> {
    this.faults.put({ seed: 0, rules: [] });
    await resetState(this.database);
    return { message: 'The sandbox is as its seed left it' };
  }
}
