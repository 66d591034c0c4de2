import { Body, Controller, Post } from '@nestjs/common';
import { issueBodySchema, type PassContent, walletPassSchema, workflowBodySchema } from '../contract/wallet-pass.js';
import { EffectWriter } from '../effects/effect-writer.js';
import { type Call, CurrentCall } from '../http/call.js';
import { PartnerEndpoint } from '../http/partner-endpoint.js';
import { InvalidRequest, refuse } from '../http/refusal.js';
import { requireUniqueId } from '../passes/unique-id.js';
import { Catalogue } from '../seed/catalogue.js';
import { workflowOperation } from './workflow-operation.js';

/** 4.3: triggers a workflow that issues or updates a wallet card, whichever it is configured to do. */
@Controller('brands/:brandId/programs/:programId/workflows/:targetId/wallet-passes')
export class WalletPassesController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly effects: EffectWriter,
  ) {}

  @Post()
  @PartnerEndpoint(workflowOperation, {
    section: '4.3',
    summary: 'Issue a wallet card via workflow',
    answer: walletPassSchema,
  })
  trigger(@CurrentCall() call: Call, @Body({ schema: workflowBodySchema }) content: PassContent): Promise<object> {
    const program = this.catalogue.program(call);
    const workflow =
      program.workflows.get(call.targetId) ?? refuse(404, call.wording.noSuch('workflow', call.targetId));
    const uniqueId = requireUniqueId(program.uniqueIdentifier, content, call.wording);
    const effect = { call, program, uniqueId, content, body: content };
    switch (workflow.does) {
      case 'update':
        return this.effects.apply({ ...effect, operation: 'update-via-workflow' });
      case 'issue':
        refuseNulls(content);
        return this.effects.apply({ ...effect, operation: 'issue-via-workflow' });
      default:
        return workflow.does satisfies never;
    }
  }
}

/** There is nothing to clear on a card that does not exist yet. */
function refuseNulls(content: PassContent): void {
  const { success, error } = issueBodySchema.safeParse(content);
  if (!success) throw new InvalidRequest(error.issues);
}
