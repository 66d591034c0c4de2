import type { WalletPass } from '#contracts';
import type { WorkflowCommand } from '#domain';
import type { Dialect } from '../dialect/dialect-schema.js';
import type { PlannedRequest } from '../wallet/planned-request.js';
import { programPath, segment } from '../wallet/request-path.js';
import { passProof } from './answer-proof.js';
import { identifiersOf, issueBody } from './issue-body.js';
import { operation } from './operation.js';
import { readPass } from './read-pass.js';

export function planWorkflow(command: WorkflowCommand, dialect: Dialect): PlannedRequest {
  const path = `${programPath(command)}/workflows/${segment('workflowId', command.workflowId)}/wallet-passes`;
  return { method: 'POST', path, body: issueBody(command, dialect) };
}

/** 4.3 Issue (or update) a wallet card via workflow. */
export const runWorkflow = operation<WorkflowCommand, WalletPass>({
  plan: planWorkflow,
  read: readPass,
  sentValues: identifiersOf,
  proof: passProof,
});
