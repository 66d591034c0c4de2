import { Injectable } from '@nestjs/common';
import type * as contracts from '#contracts';
import type { Operation, PartnerCommand } from '#intents/core';
import { countPasses, findPass, listPasses, memberCalls, scheduleUpdate } from '#members';
import { purchaseCalls } from '#purchases';
import { rewardCalls } from '#rewards';

import { Caller } from '../call/caller.js';
import type { PartnerOperation } from '../call/operation.js';
import { TokenSource } from '../call/token-source.js';
import type { Partner, TokenReport } from '../partner.js';
import type * as administration from '../port/administration.js';
import type { AttemptReport, CallOptions } from '../port/call.js';
import type { CountReport, ListOptions, PassListing, PassQuery } from '../port/pass-listing.js';
import type { LookupReport, PassLookup, ScheduledUpdate } from '../port/pass-operations.js';
import {
  createBrandAttribute,
  createTemplate,
  createTransactionAttribute,
  updateBrand,
  updateBrandAttribute,
  updateTransactionType,
} from './administration.js';

/** How each command is called, each from the room of its subject. */
const commandCalls = { ...memberCalls, ...purchaseCalls, ...rewardCalls } satisfies Record<Operation, unknown>;

/** The one place where a command becomes a call. */
export function callOf(command: PartnerCommand): PartnerOperation<PartnerCommand, unknown> {
  // The call was chosen by `operation`, a link that the compiler cannot follow.
  return commandCalls[command.operation] as unknown as PartnerOperation<PartnerCommand, unknown>;
}

type Report<Value> = Promise<AttemptReport<Value>>;

/** The partner's Wallet Card API over HTTP: each method is one documented call (partner-api.md sections 4 and 5). */
@Injectable()
export class WalletPartner implements Partner {
  constructor(
    private readonly caller: Caller,
    private readonly tokens: TokenSource,
  ) {}

  findPass(lookup: PassLookup, options: CallOptions): Promise<LookupReport> {
    return findPass(this.caller, lookup, options);
  }

  send(command: PartnerCommand, options: CallOptions): Report<unknown> {
    return this.caller.attempt(callOf(command), command, options);
  }

  scheduleUpdate(update: ScheduledUpdate, options: CallOptions): Report<contracts.ScheduleAnswer> {
    return this.caller.attempt(scheduleUpdate, update, options);
  }

  listPasses(query: PassQuery, options: ListOptions): PassListing {
    return listPasses(this.caller, query, options);
  }

  countPasses(query: PassQuery, options: CallOptions): Promise<CountReport> {
    return countPasses(this.caller, query, options);
  }

  updateTransactionType(
    update: administration.TransactionTypeUpdate,
    options: CallOptions,
  ): Report<contracts.TransactionType> {
    return this.caller.attempt(updateTransactionType, update, options);
  }

  createTransactionAttribute(
    creation: administration.TransactionAttributeCreation,
    options: CallOptions,
  ): Report<contracts.TransactionAttribute> {
    return this.caller.attempt(createTransactionAttribute, creation, options);
  }

  createBrandAttribute(
    creation: administration.BrandAttributeCreation,
    options: CallOptions,
  ): Report<contracts.BrandAttribute> {
    return this.caller.attempt(createBrandAttribute, creation, options);
  }

  updateBrandAttribute(
    update: administration.BrandAttributeUpdate,
    options: CallOptions,
  ): Report<contracts.BrandAttribute> {
    return this.caller.attempt(updateBrandAttribute, update, options);
  }

  createTemplate(creation: administration.TemplateCreation, options: CallOptions): Report<contracts.WalletTemplate> {
    return this.caller.attempt(createTemplate, creation, options);
  }

  updateBrand(update: administration.BrandUpdate, options: CallOptions): Report<contracts.Brand> {
    return this.caller.attempt(updateBrand, update, options);
  }

  checkToken(options: CallOptions): Promise<TokenReport> {
    return this.tokens.checkToken(options);
  }
}
