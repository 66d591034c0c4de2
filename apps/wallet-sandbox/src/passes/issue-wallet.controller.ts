import { Body, Controller, Post } from '@nestjs/common';
import { issueBodySchema, type PassContent, workflowBodySchema } from '../contract/wallet-pass.js';
import { EffectWriter } from '../effects/effect-writer.js';
import { type Call, type CallPath, CurrentCall } from '../http/call.js';
import type { CallOperation } from '../http/operation.js';
import { PartnerEndpoint } from '../http/partner-endpoint.js';
import { InvalidRequest, refuse } from '../http/refusal.js';
import { Catalogue } from '../seed/catalogue.js';
import { requireUniqueId } from './unique-id.js';

/** 4.2: issues a wallet card. */
@Controller('brands/:brandId/programs/:programId/issue-wallet')
export class IssueWalletController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly effects: EffectWriter,
  ) {}

  @Post()
  @PartnerEndpoint('issue')
  issue(@CurrentCall() call: Call, @Body({ schema: issueBodySchema }) content: PassContent): Promise<object> {
    const program = this.catalogue.program(call);
    if (program.enrolment === 'workflow') {
      refuse(400, call.wording.invalid('program', 'its enrolment goes through a workflow'));
    }
    const identity = requireUniqueId(program.uniqueIdentifier, content, call.wording);
    return this.effects.apply({ operation: 'issue', call, program, identity, content, body: content });
  }
}

/** What a workflow's call is to the fault rules: what its workflow does; an unknown one counts as issuing. */
function workflowOperation(catalogue: Catalogue, path: CallPath): CallOperation {
  const does = catalogue.find(path)?.workflows.get(path.targetId)?.does;
  return does === 'update' ? 'update-via-workflow' : 'issue-via-workflow';
}

/** 4.3: triggers a workflow that issues or updates a wallet card, whichever it is configured to do. */
@Controller('brands/:brandId/programs/:programId/workflows/:targetId/wallet-passes')
export class WalletPassesController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly effects: EffectWriter,
  ) {}

  @Post()
  @PartnerEndpoint(workflowOperation)
  trigger(@CurrentCall() call: Call, @Body({ schema: workflowBodySchema }) content: PassContent): Promise<object> {
    const program = this.catalogue.program(call);
    const workflow =
      program.workflows.get(call.targetId) ?? refuse(404, call.wording.noSuch('workflow', call.targetId));
    const identity = requireUniqueId(program.uniqueIdentifier, content, call.wording);
    const effect = { call, program, identity, content, body: content };
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
