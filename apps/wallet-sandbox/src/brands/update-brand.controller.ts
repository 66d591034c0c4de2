import { Body, Controller, Patch } from '@nestjs/common';
import { type BrandBody, brandBodySchema, brandSchema } from '../contract/administration-bodies.js';
import { EffectWriter } from '../effects/effect-writer.js';
import { type Call, CurrentCall } from '../http/call.js';
import { PartnerEndpoint } from '../http/partner-endpoint.js';
import { Catalogue } from '../seed/catalogue.js';

/** 4.13: updates a brand. */
@Controller('brands/:brandId')
export class UpdateBrandController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly effects: EffectWriter,
  ) {}

  @Patch()
  @PartnerEndpoint('update-brand', { section: '4.13', summary: 'Update a brand', answer: brandSchema })
  update(@CurrentCall() call: Call, @Body({ schema: brandBodySchema }) body: BrandBody): Promise<object> {
    const brand = this.catalogue.brand(call);
    return this.effects.apply({ operation: 'update-brand', call, brand, name: body.name, body });
  }
}
