import type * as contracts from '#contracts';
import type * as administration from '../port/administration.js';
import type { IssueCommand, RewardCommand, TransactionCommand, WorkflowCommand } from '#domain';
import { applyReward } from '../operations/apply-reward.js';
import { createBrandAttribute } from '../operations/create-brand-attribute.js';
import { createTemplate } from '../operations/create-template.js';
import { createTransactionAttribute } from '../operations/create-transaction-attribute.js';
import { createTransaction } from '../operations/create-transaction.js';
import { issue } from '../operations/issue.js';
import { runWorkflow } from '../operations/run-workflow.js';
import { scheduleUpdate } from '../operations/schedule-update.js';
import { updateBrandAttribute } from '../operations/update-brand-attribute.js';
import { updateBrand } from '../operations/update-brand.js';
import { updateTransactionType } from '../operations/update-transaction-type.js';
import type { Partner, TokenCheck, TokenReport } from '../partner.js';
import type { AttemptReport, CallOptions } from '../port/call.js';
import type { CountReport, ListOptions, PassListing, PassQuery } from '../port/pass-listing.js';
import type { LookupReport, PassLookup, ScheduledUpdate } from '../port/pass-operations.js';
import type { Caller } from './caller.js';
import type { PassReader } from './pass-reader.js';

type Report<Value> = Promise<AttemptReport<Value>>;

export interface WalletPartnerParts {
  readonly caller: Caller;
  readonly reader: PassReader;
  readonly tokens: TokenCheck;
}

/** The partner's Wallet Card API over HTTP: each method is one documented call (partner-api.md sections 4 and 5). */
export class WalletPartner implements Partner {
  private readonly caller: Caller;

  constructor(private readonly parts: WalletPartnerParts) {
    this.caller = parts.caller;
  }

  async findPass(lookup: PassLookup, options: CallOptions): Promise<LookupReport> {
    return this.parts.reader.findPass(lookup, options);
  }

  async issue(command: IssueCommand, options: CallOptions): Report<contracts.WalletPass> {
    return this.caller.attempt(issue, command, options);
  }

  async runWorkflow(command: WorkflowCommand, options: CallOptions): Report<contracts.WalletPass> {
    return this.caller.attempt(runWorkflow, command, options);
  }

  async scheduleUpdate(update: ScheduledUpdate, options: CallOptions): Report<contracts.ScheduleAnswer> {
    return this.caller.attempt(scheduleUpdate, update, options);
  }

  listPasses(query: PassQuery, options: ListOptions): PassListing {
    return this.parts.reader.listPasses(query, options);
  }

  async countPasses(query: PassQuery, options: CallOptions): Promise<CountReport> {
    return this.parts.reader.countPasses(query, options);
  }

  async applyReward(command: RewardCommand, options: CallOptions): Report<contracts.WalletPass> {
    return this.caller.attempt(applyReward, command, options);
  }

  async createTransaction(command: TransactionCommand, options: CallOptions): Report<contracts.PartnerTransaction> {
    return this.caller.attempt(createTransaction, command, options);
  }

  async updateTransactionType(
    update: administration.TransactionTypeUpdate,
    options: CallOptions,
  ): Report<contracts.TransactionType> {
    return this.caller.attempt(updateTransactionType, update, options);
  }

  async createTransactionAttribute(
    creation: administration.TransactionAttributeCreation,
    options: CallOptions,
  ): Report<contracts.TransactionAttribute> {
    return this.caller.attempt(createTransactionAttribute, creation, options);
  }

  async createBrandAttribute(
    creation: administration.BrandAttributeCreation,
    options: CallOptions,
  ): Report<contracts.BrandAttribute> {
    return this.caller.attempt(createBrandAttribute, creation, options);
  }

  async updateBrandAttribute(
    update: administration.BrandAttributeUpdate,
    options: CallOptions,
  ): Report<contracts.BrandAttribute> {
    return this.caller.attempt(updateBrandAttribute, update, options);
  }

  async createTemplate(
    creation: administration.TemplateCreation,
    options: CallOptions,
  ): Report<contracts.WalletTemplate> {
    return this.caller.attempt(createTemplate, creation, options);
  }

  async updateBrand(update: administration.BrandUpdate, options: CallOptions): Report<contracts.Brand> {
    return this.caller.attempt(updateBrand, update, options);
  }

  async checkToken(options: CallOptions): Promise<TokenReport> {
    return this.parts.tokens.checkToken(options);
  }
}
