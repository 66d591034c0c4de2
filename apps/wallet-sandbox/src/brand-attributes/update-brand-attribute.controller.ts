import { Body, Controller, Patch } from '@nestjs/common';
import {
  type BrandAttributeChanges,
  brandAttributeChangesSchema,
  brandAttributeSchema,
} from '../contract/administration-bodies.js';
import { EffectWriter } from '../effects/effect-writer.js';
import { type Call, CurrentCall } from '../http/call.js';
import { PartnerEndpoint } from '../http/partner-endpoint.js';
import { Catalogue } from '../seed/catalogue.js';

/** 4.11: updates a brand attribute. */
@Controller('brands/:brandId/attributes/:targetId')
export class UpdateBrandAttributeController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly effects: EffectWriter,
  ) {}

  @Patch()
  @PartnerEndpoint('update-brand-attribute', {
    section: '4.11',
    summary: 'Update a brand attribute',
    answer: brandAttributeSchema,
  })
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
