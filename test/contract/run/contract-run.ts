import { probeAll } from '../assumptions/probe-all.js';
import type { Finding } from '../assumptions/finding.js';
import { type DrillResult } from '../faults/drill-result.js';
import { loadFaults } from '../faults/drill.js';
import { runDrills } from '../faults/run-drills.js';
import { SandboxDials } from '../faults/sandbox-dials.js';
import { GatewayClient } from '../gateway/gateway-client.js';
import type { ContractClient } from '../interpreter/contract-client.js';
import type { RowResult } from '../interpreter/row-result.js';
import { runRows } from '../interpreter/run-rows.js';
import { Session } from '../interpreter/session.js';
import { PlainClient } from '../plain/plain-client.js';
import type { Setup } from '../reading/setup.js';
import { proveUnique, type UniqueProof } from '../unique/prove-unique.js';
import type { ContractPlan } from './contract-plan.js';
import type { Target } from './target.js';

export interface ContractParts {
  readonly plan: ContractPlan;
  readonly target: Target;
  readonly setup: Setup;
  /** Entries of the dialect file; null where there is none. */
  readonly dialect: Readonly<Record<string, unknown>> | null;
  /** Part of every value that is written. */
  readonly run: string;
}

/** A sandbox of our own is asked by so many clients at once, another's service by one. */
const sandboxClients = 4;

/** The parts of the suite against one service; each has names of its own, so that none sees what another writes. */
export class ContractRun {
  constructor(private readonly parts: ContractParts) {}

  /** Every row by plain HTTP. */
  plainRows(): Promise<RowResult[]> {
    const clients = this.plainClients();
    return runRows({ rows: this.parts.plan.specification.rows, session: this.session('p'), clients });
  }

  /** Every row through the gateway's port. */
  async gatewayRows(): Promise<RowResult[]> {
    const { plan, target, setup, dialect } = this.parts;
    const { specification, names } = plan;
    const open = (): Promise<GatewayClient> =>
      GatewayClient.open({ ...target, calls: specification.calls, names, setup, dialect });
    const clients = await Promise.all(this.each(open));
    try {
      return await runRows({ rows: specification.rows, session: this.session('g'), clients });
    } finally {
      await Promise.all(clients.map((client) => client.close()));
    }
  }

  findings(): Promise<Finding[]> {
    const { assumptions, names } = this.parts.plan;
    return probeAll({ assumptions, names, session: this.session('a'), clients: this.plainClients() });
  }

  proofs(): Promise<UniqueProof[]> {
    const { plan, setup } = this.parts;
    return proveUnique({ session: this.session('u'), client: this.plainClient(), names: plan.names, setup });
  }

  /** Only where the service has fault dials; nobody else may call it meanwhile. */
  drills(): Promise<DrillResult[]> {
    const { target, dialect, setup } = this.parts;
    return runDrills({
      faults: loadFaults(),
      dials: new SandboxDials(target.authUrl),
      session: this.session('f'),
      client: this.plainClient(),
      access: target,
      dialect,
      setup,
    });
  }

  private session(letter: string): Session {
    const { plan, setup, run } = this.parts;
    const { specification, names } = plan;
    return new Session({ specification, setup, run: run + letter, success: names });
  }

  private plainClients(): ContractClient[] {
    return this.each(() => this.plainClient());
  }

  private plainClient(): ContractClient {
    const { plan, target, setup } = this.parts;
    const { specification, names } = plan;
    return new PlainClient({
      ...target,
      tokenExpiryWaitMs: setup.tokenExpiryWaitMs,
      calls: specification.calls,
      names,
    });
  }

  private each<Item>(make: () => Item): Item[] {
    return Array.from({ length: this.parts.target.isSandbox ? sandboxClients : 1 }, make);
  }
}
