import type { GatewayAccess } from '../gateway/gateway-line.js';
import type { ContractClient } from '../interpreter/contract-client.js';
import type { Session } from '../interpreter/session.js';
import type { Setup } from '../reading/setup.js';
import type { Faults } from './drill.js';
import type { SandboxDials } from './sandbox-dials.js';

/** What all drills of a run share. */
export interface DrillRun {
  readonly faults: Faults;
  readonly dials: SandboxDials;
  readonly session: Session;
  /** Plays the scenes, before any fault is on. */
  readonly client: ContractClient;
  readonly access: GatewayAccess;
  readonly dialect: Readonly<Record<string, unknown>> | null;
  readonly setup: Setup;
}
