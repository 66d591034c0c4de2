import type { DynamicModule, ModuleMetadata } from '@nestjs/common';
import { Module } from '@nestjs/common';

import { IntentActionRepository } from '#intents';

import { PlannedActions } from '../intents/planned-actions.js';
import { JobRepository } from './job-repository.js';
import { AskWork } from './kinds/ask/ask-work.js';
import { ProvisionedRepository } from './kinds/provision/provisioned-repository.js';
import { ProvisioningWork } from './kinds/provision/provisioning-work.js';
import { ReconciliationWork } from './kinds/reconcile/reconciliation-work.js';
import { ScheduleWork } from './kinds/schedule/schedule-work.js';

/** The kinds of jobs that ask the partner: in a process that has one. */
@Module({
  providers: [
    ...[AskWork, IntentActionRepository, JobRepository, PlannedActions],
    ...[ProvisionedRepository, ProvisioningWork, ReconciliationWork, ScheduleWork],
  ],
})
export class PartnerJobsModule {
  /** @param imports what provides `PartnerJobTools`, `ProgramsControl` and `OperationsObserver` */
  static forRoot(imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return { module: PartnerJobsModule, imports };
  }
}
