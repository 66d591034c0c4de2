import type { IssueCommand, PassReference, RewardCommand, TransactionCommand, WorkflowCommand } from '#domain';
import type { Dialect } from '../dialect/dialect-schema.js';
import type { PassLookup } from '../partner.js';
import { issueBody } from './issue-body.js';
import type { PlannedRequest } from './planned-request.js';
import { transactionBody } from './transaction-body.js';

/** 4.1 Get wallet pass by unique identifier. */
export function planLookup(lookup: PassLookup): PlannedRequest {
  const { parameter, value } = lookup.by ?? { parameter: 'unique_id', value: lookup.uniqueId };
  return {
    method: 'GET',
    path: `${programPath(lookup)}/wallets?${parameter}=${encodeURIComponent(value)}`,
    body: null,
  };
}

/** 4.2 Issue a wallet card. */
export function planIssue(command: IssueCommand, dialect: Dialect): PlannedRequest {
  return { method: 'POST', path: `${programPath(command)}/issue-wallet`, body: issueBody(command, dialect) };
}

/** 4.3 Issue (or update) a wallet card via workflow. */
export function planWorkflow(command: WorkflowCommand, dialect: Dialect): PlannedRequest {
  const path = `${programPath(command)}/workflows/${segment(command.workflowId)}/wallet-passes`;
  return { method: 'POST', path, body: issueBody(command, dialect) };
}

/** 4.6 Apply a reward to a wallet pass. No body is sent. */
export function planReward(command: RewardCommand): PlannedRequest {
  const path = `${programPath(command)}/rewards/${segment(command.rewardId)}/wallet-pass?${uniqueId(command)}`;
  return { method: 'POST', path, body: null };
}

/**
 * 4.7 Create a transaction.
 * @returns `null` when the amount is no exact decimal number or the dialect refuses negative ones
 */
export function planTransaction(command: TransactionCommand, dialect: Dialect): PlannedRequest | null {
  const body = transactionBody(command, dialect);
  if (body === null) return null;
  const type = segment(command.transactionTypeId);
  return {
    method: 'POST',
    path: `${programPath(command)}/transaction-types/${type}/transactions?${uniqueId(command)}`,
    body,
  };
}

function programPath({ brandId, programId }: PassReference): string {
  return `/${segment(brandId)}/programs/${segment(programId)}`;
}

function uniqueId(reference: PassReference): string {
  return `unique_id=${encodeURIComponent(reference.uniqueId)}`;
}

/** @throws TypeError for an id that would change the path: such a programs file is refused at start */
function segment(id: string): string {
  if (id === '' || id === '.' || id === '..') throw new TypeError(`'${id}' cannot be part of a path`);
  return encodeURIComponent(id);
}
