import { Body, Controller, Post, Query } from '@nestjs/common';
import { type TransactionQuery, transactionQuerySchema } from '../contract/queries.js';
import { type TransactionBody, transactionBodySchema } from '../contract/transaction-body.js';
import { EffectWriter } from '../effects/effect-writer.js';
import { type Call, CurrentCall } from '../http/call.js';
import { PartnerEndpoint } from '../http/partner-endpoint.js';
import { Catalogue, findTransactionType } from '../seed/catalogue.js';

/** 4.7: posts a transaction for a cardholder. */
@Controller('brands/:brandId/programs/:programId/transaction-types/:targetId/transactions')
export class CreateTransactionController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly effects: EffectWriter,
  ) {}

  @Post()
  @PartnerEndpoint('transaction')
  create(
    @CurrentCall() call: Call,
    @Query({ schema: transactionQuerySchema }) query: TransactionQuery,
    @Body({ schema: transactionBodySchema }) body: TransactionBody,
  ): Promise<object> {
    const program = this.catalogue.program(call);
    const { id: typeId } = findTransactionType(program, call);
    const handle = { uniqueId: query.unique_id, serialNumber: query.serialNumber };
    return this.effects.apply({ operation: 'transaction', call, program, handle, typeId, transaction: body, body });
  }
}
