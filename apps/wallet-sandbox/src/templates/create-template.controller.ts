import { Body, Controller, Post } from '@nestjs/common';
import { type TemplateBody, templateBodySchema, templateSchema } from '../contract/administration-bodies.js';
import { EffectWriter } from '../effects/effect-writer.js';
import { type Call, CurrentCall } from '../http/call.js';
import { PartnerEndpoint } from '../http/partner-endpoint.js';
import { Catalogue } from '../seed/catalogue.js';

/** 4.12: creates a wallet template. */
@Controller('brands/:brandId/programs/:programId/templates')
export class CreateTemplateController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly effects: EffectWriter,
  ) {}

  @Post()
  @PartnerEndpoint('create-template', { section: '4.12', summary: 'Create a wallet template', answer: templateSchema })
  create(@CurrentCall() call: Call, @Body({ schema: templateBodySchema }) body: TemplateBody): Promise<object> {
    const program = this.catalogue.program(call);
    return this.effects.apply({ operation: 'create-template', call, program, template: body, body });
  }
}
