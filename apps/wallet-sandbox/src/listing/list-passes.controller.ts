import { Controller, Get, Inject, Query } from '@nestjs/common';
import type { Database } from '#platform';
import { type ListingQuery, listingQuerySchema } from '../contract/queries.js';
import { type WalletPassPage, walletPassPageSchema } from '../contract/wallet-pass.js';
import { type Call, CurrentCall } from '../http/call.js';
import { PartnerEndpoint } from '../http/partner-endpoint.js';
import type { PassCondition } from '../passes/pass-condition.js';
import { StatusNumbers } from '../passes/status.js';
import { toWalletPass } from '../passes/wallet-pass-answer.js';
import { Catalogue } from '../seed/catalogue.js';
import { DATABASE } from '../store/statement.js';
import { countPasses } from './count-passes.js';
import { listingConditions } from './listing-conditions.js';
import { selectPage } from './select-page.js';

/** 4.5: the passes of a program, page by page in order of pass id. */
@Controller('brands/:brandId/programs/:programId/wallet-passes')
export class ListPassesController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly numbers: StatusNumbers,
    @Inject(DATABASE) private readonly database: Database,
  ) {}

  @Get()
  @PartnerEndpoint('list', { section: '4.5', summary: 'List wallet passes', answer: walletPassPageSchema })
  async list(
    @CurrentCall() call: Call,
    @Query({ schema: listingQuerySchema }) query: ListingQuery,
  ): Promise<WalletPassPage> {
    const program = this.catalogue.program(call);
    const { brandId, programId } = program;
    const context = { program, numbers: this.numbers, wording: call.wording };
    const conditions = [...listingConditions(query, context), ...createdUntil(call)];
    const selection = { brandId, programId, conditions };
    const { pageNumber, pageSize } = query;
    if (query.countOnly === 'true') {
      return { data: [], pageNumber, pageSize, totalCount: await countPasses(this.database, selection) };
    }
    const offset = (pageNumber - 1) * pageSize;
    const { passes, totalCount } = await selectPage(this.database, { selection, limit: pageSize, offset });
    return { data: passes.map((pass) => toWalletPass(pass, call.origin)), pageNumber, pageSize, totalCount };
  }
}

/** A stale listing does not know the newest passes. */
function createdUntil({ asOf }: Call): PassCondition[] {
  return asOf === undefined ? [] : [{ field: 'createdAt', comparison: 'lte', value: asOf }];
}
