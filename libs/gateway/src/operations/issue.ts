import type { WalletPass } from '#contracts';
import type { IssueCommand } from '#domain';
import type { Dialect } from '../dialect/dialect-schema.js';
import type { PlannedRequest } from '../wallet/planned-request.js';
import { programPath } from '../wallet/request-path.js';
import { passProof } from './answer-proof.js';
import { identifiersOf, issueBody } from './issue-body.js';
import { operation } from './operation.js';
import { readPass } from './read-pass.js';

export function planIssue(command: IssueCommand, dialect: Dialect): PlannedRequest {
  return { method: 'POST', path: `${programPath(command)}/issue-wallet`, body: issueBody(command, dialect) };
}

/** 4.2 Issue a wallet card. */
export const issue = operation<IssueCommand, WalletPass>({
  plan: planIssue,
  read: readPass,
  sentValues: identifiersOf,
  proof: passProof,
  isSuccessStatus: ({ isIssueSuccessStatus }) => isIssueSuccessStatus,
});
