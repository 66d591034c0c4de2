import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Database } from '#platform';
import {
  CreateBrandAttributeController,
  CreateTemplateController,
  CreateTransactionAttributeController,
  UpdateBrandAttributeController,
  UpdateBrandController,
  UpdateTransactionTypeController,
} from './administration/administration.controllers.js';
import { TokenSigner } from './auth/token-signer.js';
import { ClientController, TokenController } from './auth/token.controller.js';
import { chooseWording, WORDING } from './contract/wordings.js';
import { CONTROL_KEY, ControlGuard, HealthController } from './control/control.js';
import { EffectWriter } from './effects/effect-writer.js';
import { FaultInjector, FaultsController, Outstanding } from './faults/fault-injector.js';
import { Strangers } from './faults/strangers.js';
import { CallFactory } from './http/partner-endpoint.js';
import { LedgerController } from './ledger/ledger.js';
import { IssueWalletController, WalletPassesController } from './passes/issue-wallet.controller.js';
import { ListPassesController } from './passes/list-passes.controller.js';
import { LookUpController, PassFinder } from './passes/look-up.controller.js';
import { ApplyRewardController } from './rewards/apply-reward.controller.js';
import { ScheduleUpdateController } from './schedules/schedule-update.controller.js';
import { Scheduler } from './schedules/scheduler.js';
import { Catalogue } from './seed/catalogue.js';
import { ResetController } from './seed/reset.controller.js';
import type { Seed } from './seed/seed.js';
import { Spelling } from './spelling/spelling.js';
import { CreateTransactionController } from './transactions/create-transaction.controller.js';

export interface SandboxParts {
  readonly seed: Seed;
  readonly database: Database;
  readonly signer: TokenSigner;
  /** What control calls must bring; null: nothing. */
  readonly controlKey: string | null;
}

/** One controller per endpoint of partner-api.md section 4; the sandbox's own begin with `__`. */
@Module({
  controllers: [
    TokenController,
    LookUpController,
    IssueWalletController,
    WalletPassesController,
    ScheduleUpdateController,
    ListPassesController,
    CreateTransactionController,
    ApplyRewardController,
    UpdateTransactionTypeController,
    CreateTransactionAttributeController,
    CreateBrandAttributeController,
    UpdateBrandAttributeController,
    CreateTemplateController,
    UpdateBrandController,
    LedgerController,
    FaultsController,
    ClientController,
    ResetController,
    HealthController,
  ],
  providers: [
    { provide: APP_GUARD, useClass: ControlGuard },
    CallFactory,
    EffectWriter,
    PassFinder,
    Scheduler,
    FaultInjector,
    Outstanding,
    Strangers,
  ],
})
export class SandboxModule {
  static with(parts: SandboxParts): DynamicModule {
    return {
      module: SandboxModule,
      providers: [
        { provide: Catalogue, useValue: new Catalogue(parts.seed) },
        { provide: Spelling, useValue: new Spelling(parts.seed.spelling) },
        { provide: WORDING, useValue: chooseWording(parts.seed.wording) },
        { provide: Database, useValue: parts.database },
        { provide: TokenSigner, useValue: parts.signer },
        { provide: CONTROL_KEY, useValue: parts.controlKey },
      ],
    };
  }
}
