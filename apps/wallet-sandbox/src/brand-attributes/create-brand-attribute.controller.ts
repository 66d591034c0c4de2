import { Body, Controller, Post } from '@nestjs/common';
import {
  type BrandAttributeBody,
  brandAttributeBodySchema,
  brandAttributeSchema,
} from '../contract/administration-bodies.js';
import { EffectWriter } from '../effects/effect-writer.js';
import { type Call, CurrentCall } from '../http/call.js';
import { PartnerEndpoint } from '../http/partner-endpoint.js';
import { Catalogue } from '../seed/catalogue.js';

/** 4.10: creates a brand attribute. */
@Controller('brands/:brandId/attributes')
export class CreateBrandAttributeController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly effects: EffectWriter,
  ) {}

  @Post()
  @PartnerEndpoint('create-brand-attribute', {
    section: '4.10',
    summary: 'Create a brand attribute',
    answer: brandAttributeSchema,
  })
  create(
    @CurrentCall() call: Call,
    @Body({ schema: brandAttributeBodySchema }) body: BrandAttributeBody,
  ): Promise<object> {
    const brand = this.catalogue.brand(call);
    return this.effects.apply({ operation: 'create-brand-attribute', call, brand, attribute: body, body });
  }
}
