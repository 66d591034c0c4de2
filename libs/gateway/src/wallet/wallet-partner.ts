import { type PartnerTransaction, transactionSchema, type WalletPass, walletPassSchema } from '#contracts';
import {
  classifyOutcome,
  type IssueCommand,
  type PartnerCommand,
  type RewardCommand,
  type TransactionCommand,
  type WorkflowCommand,
} from '#domain';
import type { z } from 'zod';
import type { CompiledDialect } from '../dialect/compile-dialect.js';
import type { DialectBook } from '../dialect/dialect-book.js';
import { neverSent } from '../http/http-result.js';
import { isJsonObject } from '../json/read-body.js';
import type { AttemptReport, CallOptions, LookupReport, Partner, PassLookup } from '../partner.js';
import type { AuthorizedClient, CallTrace } from './authorized-client.js';
import { responseEvidence } from './evidence.js';
import { observeAnswer } from './observe-answer.js';
import { planIssue, planLookup, planReward, planTransaction, planWorkflow } from './plan-requests.js';
import type { PlannedRequest } from './planned-request.js';
import { readLookup } from './read-lookup.js';
import { readShape } from './read-shape.js';

/** What is sent, and what is expected back. */
interface Attempt<Value> {
  readonly command: PartnerCommand;
  readonly compiled: CompiledDialect;
  readonly planned: PlannedRequest;
  readonly schema: z.ZodType<Value>;
}

/** The partner's Wallet Card API over HTTP: each method is one documented call (partner-api.md section 4). */
export class WalletPartner implements Partner {
  constructor(
    private readonly client: AuthorizedClient,
    private readonly dialects: DialectBook,
  ) {}

  async findPass(lookup: PassLookup, options: CallOptions): Promise<LookupReport> {
    const compiled = this.dialects.of(lookup);
    const request = planLookup(lookup);
    const trace = await this.client.send(request, options);
    const evidence = { request, response: responseEvidence(trace.seen), durationMs: trace.durationMs };
    return readLookup({ lookup, trace, compiled, evidence });
  }

  async issue(command: IssueCommand, options: CallOptions): Promise<AttemptReport<WalletPass>> {
    const compiled = this.dialects.of(command);
    const planned = planIssue(command, compiled.dialect);
    return this.attempt({ command, compiled, planned, schema: walletPassSchema }, options);
  }

  async runWorkflow(command: WorkflowCommand, options: CallOptions): Promise<AttemptReport<WalletPass>> {
    const compiled = this.dialects.of(command);
    const planned = planWorkflow(command, compiled.dialect);
    return this.attempt({ command, compiled, planned, schema: walletPassSchema }, options);
  }

  async createTransaction(
    command: TransactionCommand,
    options: CallOptions,
  ): Promise<AttemptReport<PartnerTransaction>> {
    const compiled = this.dialects.of(command);
    const planned = planTransaction(command, compiled.dialect);
    if (planned === null) return unsendable(command, compiled);
    return this.attempt({ command, compiled, planned, schema: transactionSchema }, options);
  }

  async applyReward(command: RewardCommand, options: CallOptions): Promise<AttemptReport<WalletPass>> {
    const compiled = this.dialects.of(command);
    return this.attempt({ command, compiled, planned: planReward(command), schema: walletPassSchema }, options);
  }

  private async attempt<Value>(attempt: Attempt<Value>, options: CallOptions): Promise<AttemptReport<Partial<Value>>> {
    return report(attempt, await this.client.send(attempt.planned, options));
  }
}

function report<Value>(attempt: Attempt<Value>, trace: CallTrace): AttemptReport<Partial<Value>> {
  const { observation, body } = observeAnswer(trace, attempt.compiled, attempt.command);
  const outcome = classifyOutcome(observation);
  const isReadable = outcome.kind === 'applied' && isJsonObject(body?.json);
  const shape = isReadable ? readShape(attempt.schema, body.json) : { value: null, alarms: [] };
  return {
    outcome,
    phase: observation.phase,
    durationMs: trace.durationMs,
    request: attempt.planned,
    response: responseEvidence(trace.seen),
    value: shape.value,
    shapeAlarms: shape.alarms,
  };
}

/** An amount that cannot be written is broken configuration: nothing is sent, and everybody is to know. */
function unsendable(command: TransactionCommand, compiled: CompiledDialect): AttemptReport<PartnerTransaction> {
  const result = neverSent('unsendable');
  const trace = { result, seen: result, retryAfterMs: null, durationMs: 0 };
  const planned = { method: 'POST', path: '', body: null } as const;
  const told = report({ command, compiled, planned, schema: transactionSchema }, trace);
  // It will never be written otherwise: a person must look, instead of the lane trying for ever.
  const outcome = { kind: 'rejected', code: 'refused', message: 'the amount cannot be sent in this dialect' } as const;
  return { ...told, outcome, shapeAlarms: ['request.amount'] };
}
