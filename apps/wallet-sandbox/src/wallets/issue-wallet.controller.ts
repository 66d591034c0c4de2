import { Body, Controller, Post } from '@nestjs/common';
import { issueBodySchema, type PassContent, walletPassSchema } from '../contract/wallet-pass.js';
import { EffectWriter } from '../effects/effect-writer.js';
import { type Call, CurrentCall } from '../http/call.js';
import { PartnerEndpoint } from '../http/partner-endpoint.js';
import { refuse } from '../http/refusal.js';
import { requireUniqueId } from '../passes/unique-id.js';
import { Catalogue } from '../seed/catalogue.js';

/** 4.2: issues a wallet card. */
@Controller('brands/:brandId/programs/:programId/issue-wallet')
export class IssueWalletController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly effects: EffectWriter,
  ) {}

  @Post()
  @PartnerEndpoint('issue', { section: '4.2', summary: 'Issue a wallet card', answer: walletPassSchema })
  issue(@CurrentCall() call: Call, @Body({ schema: issueBodySchema }) content: PassContent): Promise<object> {
    const program = this.catalogue.program(call);
    if (program.enrolment === 'workflow') {
      refuse(400, call.wording.invalid('program', 'its enrolment goes through a workflow'));
    }
    const uniqueId = requireUniqueId(program.uniqueIdentifier, content, call.wording);
    return this.effects.apply({ operation: 'issue', call, program, uniqueId, content, body: content });
  }
}
