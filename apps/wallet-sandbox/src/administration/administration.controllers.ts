import { Body, Controller, Patch, Post } from '@nestjs/common';
import {
  type BrandAttributeBody,
  brandAttributeBodySchema,
  type BrandAttributeChanges,
  brandAttributeChangesSchema,
  type BrandBody,
  brandBodySchema,
  type TemplateBody,
  templateBodySchema,
  type TransactionAttributeBody,
  transactionAttributeBodySchema,
  type TransactionTypeBody,
  transactionTypeBodySchema,
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
  @PartnerEndpoint('update-transaction-type')
  update(
    @CurrentCall() call: Call,
    @Body({ schema: transactionTypeBodySchema }) body: TransactionTypeBody,
  ): Promise<object> {
    const program = this.catalogue.program(call);
    const { id: typeId } = findTransactionType(program, call);
    return this.effects.apply({ operation: 'update-transaction-type', call, program, typeId, name: body.name, body });
  }
}

/** 4.9: creates an attribute of a transaction type. */
@Controller('brands/:brandId/programs/:programId/transaction-types/:targetId/attributes')
export class CreateTransactionAttributeController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly effects: EffectWriter,
  ) {}

  @Post()
  @PartnerEndpoint('create-transaction-attribute')
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

/** 4.10: creates a brand attribute. */
@Controller('brands/:brandId/attributes')
export class CreateBrandAttributeController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly effects: EffectWriter,
  ) {}

  @Post()
  @PartnerEndpoint('create-brand-attribute')
  create(
    @CurrentCall() call: Call,
    @Body({ schema: brandAttributeBodySchema }) body: BrandAttributeBody,
  ): Promise<object> {
    const brand = this.catalogue.brand(call);
    return this.effects.apply({ operation: 'create-brand-attribute', call, brand, attribute: body, body });
  }
}

/** 4.11: updates a brand attribute. */
@Controller('brands/:brandId/attributes/:targetId')
export class UpdateBrandAttributeController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly effects: EffectWriter,
  ) {}

  @Patch()
  @PartnerEndpoint('update-brand-attribute')
  update(
    @CurrentCall() call: Call,
    @Body({ schema: brandAttributeChangesSchema }) body: BrandAttributeChanges,
  ): Promise<object> {
    const brand = this.catalogue.brand(call);
    return this.effects.apply({
      operation: 'update-brand-attribute',
      call,
      brand,
      attributeId: call.targetId,
      changes: body,
      body,
    });
  }
}

/** 4.12: creates a wallet template. */
@Controller('brands/:brandId/programs/:programId/templates')
export class CreateTemplateController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly effects: EffectWriter,
  ) {}

  @Post()
  @PartnerEndpoint('create-template')
  create(@CurrentCall() call: Call, @Body({ schema: templateBodySchema }) body: TemplateBody): Promise<object> {
    const program = this.catalogue.program(call);
    return this.effects.apply({ operation: 'create-template', call, program, template: body, body });
  }
}

/** 4.13: updates a brand. */
@Controller('brands/:brandId')
export class UpdateBrandController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly effects: EffectWriter,
  ) {}

  @Patch()
  @PartnerEndpoint('update-brand')
  update(@CurrentCall() call: Call, @Body({ schema: brandBodySchema }) body: BrandBody): Promise<object> {
    const brand = this.catalogue.brand(call);
    return this.effects.apply({ operation: 'update-brand', call, brand, name: body.name, body });
  }
}
