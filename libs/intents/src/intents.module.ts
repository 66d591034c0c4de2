import { Module } from '@nestjs/common';

import { PauseRepository } from './store/coordination/pauses.js';
import { ErasureRepository } from './store/erasure/erasure-repository.js';
import { IntentActionRepository } from './store/operator/intent-action-repository.js';
import { AuditRepository } from './store/operator/operator-action.js';
import { ProcessRepository } from './store/processes/process.js';
import { QuarantineCausesRepository } from './store/quarantine/quarantine-causes.js';
import { QuarantineRepository } from './store/quarantine/quarantine-repository.js';
import { QuarantineSettlements } from './store/quarantine/quarantine-settlements.js';
import { QuarantinedBatches } from './store/quarantine/quarantined-batches.js';
import { ProgramsLoadRepository } from './store/processes/programs-loads.js';

const repositories = [
  AuditRepository,
  ErasureRepository,
  IntentActionRepository,
  PauseRepository,
  ProcessRepository,
  ProgramsLoadRepository,
  QuarantinedBatches,
  QuarantineCausesRepository,
  QuarantineRepository,
  QuarantineSettlements,
];

/** The repositories of what we owe. Their `Database` and keys come from a global module of the application. */
@Module({ providers: repositories, exports: repositories })
export class IntentsModule {}
