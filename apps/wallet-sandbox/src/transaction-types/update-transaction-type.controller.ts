import { Body, Controller, Patch } from '@nestjs/common';
import {
  type TransactionTypeBody,
  transactionTypeBodySchema,
  transactionTypeSchema,
} from '../contract/administration-bodies.js';
import { EffectWriter } from '../effects/effect-writer.js';
import { type Call, CurrentCall } from '../http/call.js';
import { PartnerEndpoint } from '../http/partner-endpoint.js';
import { Catalogue, findTransactionType } from '../seed/catalogue.js';

/** 4.8: updates a transaction type. */
@Controller('brands/:brandId/programs/:programId/transaction-types/:targetId')
export class UpdateTransactionTypeController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly effects: EffectWriter,
  ) {}

  @Patch()
  @PartnerEndpoint('update-transaction-type', {
    section: '4.8',
    summary: 'Update a transaction type',
    answer: transactionTypeSchema,
  })
  update(
    @CurrentCall() call: Call,
    @Body({ schema: transactionTypeBodySchema }) body: TransactionTypeBody,
  ): Promise<object> {
    const program = this.catalogue.program(call);
    const { id: typeId } = findTransactionType(program, call);
    return this.effects.apply({ operation: 'update-transaction-type', call, program, typeId, name: body.name, body });
  }
}
