import type { MigrationClass } from '#platform';

import { EventStoreAndLanes1763700000000 } from './1763700000000-event-store-and-lanes.js';
import { LaneFunctions1763700000001 } from './1763700000001-lane-functions.js';
import { SourcesAndOutputs1763800000000 } from './1763800000000-sources-and-outputs.js';
import { Coordination1763800000001 } from './1763800000001-coordination.js';
import { Cells1763900000000 } from './1763900000000-cells.js';
import { OperatorActions1764000000000 } from './1764000000000-operator-actions.js';
import { IntentStandings1764000000001 } from './1764000000001-intent-standings.js';
import { Replays1764000000002 } from './1764000000002-replays.js';
import { QuarantineActions1764000000003 } from './1764000000003-quarantine-actions.js';
import { Jobs1764000000004 } from './1764000000004-jobs.js';
import { Reconciliation1764000000005 } from './1764000000005-reconciliation.js';
import { Provisioning1764000000006 } from './1764000000006-provisioning.js';
import { ErasuresAndExports1764000000007 } from './1764000000007-erasures-and-exports.js';
import { Overview1764000000020 } from './1764000000020-overview.js';
import { Processes1764000000050 } from './1764000000050-processes.js';
import { ReplayStarts1764050000000 } from './1764050000000-replay-starts.js';
import { Retention1764100000000 } from './1764100000000-retention.js';
import { ProcessKeys1764300000000 } from './1764300000000-process-keys.js';
import { SchemaMarks1764400000000 } from './1764400000000-schema-marks.js';
import { Recoveries1764400000001 } from './1764400000001-recoveries.js';
import { LastEnrolments1764400000002 } from './1764400000002-last-enrolments.js';
import { PlainOwner1764450000000 } from './1764450000000-plain-owner.js';
import { QuarantinedBatches1764500000000 } from './1764500000000-quarantined-batches.js';
import { NeededRoles1764600000000 } from './1764600000000-needed-roles.js';
import { LaneOvertaking1764720000000 } from './1764720000000-lane-overtaking.js';
import { CancelMarks1764800000001 } from './1764800000001-cancel-marks.js';
import { ProfileMarks1764900000001 } from './1764900000001-profile-marks.js';
import { AwaitedKeys1795521000000 } from './1795521000000-awaited-keys.js';
import { ProvisionedBrands1795608000000 } from './1795608000000-provisioned-brands.js';
import { AttemptsInOneRow1795694400000 } from './1795694400000-attempts-in-one-row.js';
import { ForgottenDigests1796000000000 } from './1796000000000-forgotten-digests.js';
import { DigestsByLane1796000000001 } from './1796000000001-digests-by-lane.js';
import { LeastPrivilege1796100000000 } from './1796100000000-least-privilege.js';
import { OperatorSubjects1796200000000 } from './1796200000000-operator-subjects.js';
import { AuditChain1796300000000 } from './1796300000000-audit-chain.js';
import { Minutes1796600000000 } from './1796600000000-minutes.js';
import { ReplayMembers1796700000000 } from './1796700000000-replay-members.js';
import { ProcessFigures1796800000000 } from './1796800000000-process-figures.js';
import { QuarantineSenders1796900000000 } from './1796900000000-quarantine-senders.js';
import { QuarantineBySource1796900000001 } from './1796900000001-quarantine-by-source.js';
import { ProgramsLoads1796900000002 } from './1796900000002-programs-loads.js';
import { CallsAndLagByMinute1797000000000 } from './1797000000000-calls-and-lag-by-minute.js';
import { AwaitedPurchases1797000000001 } from './1797000000001-awaited-purchases.js';
import { AwaitedPurchaseIndex1797000000002 } from './1797000000002-awaited-purchase-index.js';
import { ExactAmounts1797200000208 } from './1797200000208-exact-amounts.js';
import { OpenStandingsAnew1797200000209 } from './1797200000209-open-standings-anew.js';

/** Every migration in order. Append only: a shipped migration never changes. docs/upgrades.md says what one may do. */
export const migrations: readonly MigrationClass[] = [
  EventStoreAndLanes1763700000000,
  LaneFunctions1763700000001,
  SourcesAndOutputs1763800000000,
  Coordination1763800000001,
  Cells1763900000000,
  OperatorActions1764000000000,
  IntentStandings1764000000001,
  Replays1764000000002,
  QuarantineActions1764000000003,
  Jobs1764000000004,
  Reconciliation1764000000005,
  Provisioning1764000000006,
  ErasuresAndExports1764000000007,
  Overview1764000000020,
  Processes1764000000050,
  ReplayStarts1764050000000,
  Retention1764100000000,
  ProcessKeys1764300000000,
  SchemaMarks1764400000000,
  Recoveries1764400000001,
  LastEnrolments1764400000002,
  PlainOwner1764450000000,
  QuarantinedBatches1764500000000,
  NeededRoles1764600000000,
  LaneOvertaking1764720000000,
  CancelMarks1764800000001,
  ProfileMarks1764900000001,
  AwaitedKeys1795521000000,
  ProvisionedBrands1795608000000,
  AttemptsInOneRow1795694400000,
  ForgottenDigests1796000000000,
  DigestsByLane1796000000001,
  LeastPrivilege1796100000000,
  OperatorSubjects1796200000000,
  AuditChain1796300000000,
  Minutes1796600000000,
  ReplayMembers1796700000000,
  ProcessFigures1796800000000,
  QuarantineSenders1796900000000,
  QuarantineBySource1796900000001,
  ProgramsLoads1796900000002,
  CallsAndLagByMinute1797000000000,
  AwaitedPurchases1797000000001,
  AwaitedPurchaseIndex1797000000002,
  ExactAmounts1797200000208,
  OpenStandingsAnew1797200000209,
];
