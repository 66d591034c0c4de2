import { Controller, Get, Inject, Query } from '@nestjs/common';
import type { Database } from '#platform';
import { DATABASE } from '../store/statement.js';
import { type LedgerQuery, ledgerQuerySchema } from './ledger-query.js';
import { type LedgerPage, readLedger } from './read-ledger.js';

/** What really took effect here, for audits; no token is needed. */
@Controller('__ledger')
export class LedgerController {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  @Get()
  read(@Query({ schema: ledgerQuerySchema }) query: LedgerQuery): Promise<LedgerPage> {
    return readLedger(this.database, query);
  }
}
