import { Body, Controller, Post } from '@nestjs/common';
import {
  type TransactionAttributeBody,
  transactionAttributeBodySchema,
  transactionAttributeSchema,
} from '../contract/administration-bodies.js';
import { EffectWriter } from '../effects/effect-writer.js';
import { type Call, CurrentCall } from '../http/call.js';
import { PartnerEndpoint } from '../http/partner-endpoint.js';
import { Catalogue, findTransactionType } from '../seed/catalogue.js';

/** 4.9: creates an attribute of a transaction type. */
@Controller('brands/:brandId/programs/:programId/transaction-types/:targetId/attributes')
export class CreateTransactionAttributeController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly effects: EffectWriter,
  ) {}

  @Post()
  @PartnerEndpoint('create-transaction-attribute', {
    section: '4.9',
    summary: 'Create a transaction type attribute',
    answer: transactionAttributeSchema,
  })
  create(
    @CurrentCall() call: Call,
    @Body({ schema: transactionAttributeBodySchema }) body: TransactionAttributeBody,
  ): Promise<object> {
    const program = this.catalogue.program(call);
    const { id: typeId } = findTransactionType(program, call);
    return this.effects.apply({
      operation: 'create-transaction-attribute',
      call,
      program,
      typeId,
      attribute: body,
      body,
    });
  }
}
