import type { Assumption, Assumptions, Finding } from './assumptions.js';
import { assumedValues, loadAssumptions } from './assumptions.js';
import { coverageOf, emptyCells } from './coverage.js';
import type { DrillResult } from './drills.js';
import { loadFaults, runDrills } from './drills.js';
import { GatewayClient } from './gateway/gateway-client.js';
import type { Target } from './gateway/gateway-line.js';
import { refusalReader } from './gateway/refusal-reading.js';
import type { ContractClient } from './interpreter/contract-client.js';
import { Names } from './interpreter/names.js';
import type { RowResult } from './interpreter/session.js';
import { runRows, Session } from './interpreter/session.js';
import { PlainClient } from './plain-client.js';
import { probeAll } from './probe-assumptions.js';
import { productCallers } from './product-callers.js';
import type { UniqueProof } from './prove-unique.js';
import { proveUnique } from './prove-unique.js';
import type { ContractReport } from './report.js';
import type { Selection, Setup, Specification } from './specification.js';
import { loadSpecification, selected, withoutChanges, writesOf } from './specification.js';
import { SandboxDials } from './wallet-sandbox.js';

/** All that a run is going to do, before anybody is asked anything. */
export interface ContractPlan {
  readonly specification: Specification;
  readonly assumptions: Assumptions;
  readonly names: Names;
  readonly selection: Selection;
}

/**
 * @param dialect entries of the dialect file; null where there is none
 * @throws DataError
 */
export function planContract(dialect: unknown, selection: Selection): ContractPlan {
  const all = loadAssumptions();
  const names = new Names(assumedValues(all), dialect);
  const whole = loadSpecification();
  const specification = selected(names.hasChange ? whole : withoutChanges(whole), selection);
  const isSelected = (assumption: Assumption): boolean =>
    selection === null || !isWriting(assumption, all, specification) === (selection === 'read');
  return {
    specification,
    assumptions: { ...all, assumptions: all.assumptions.filter(isSelected) },
    names,
    selection,
  };
}

function isWriting(assumption: Assumption, assumptions: Assumptions, specification: Specification): boolean {
  const control = assumptions.controls[assumption.recognised?.by ?? assumption.control ?? ''];
  const isControlWriting = control !== undefined && specification.calls[control.call].writes !== null;
  return isControlWriting || writesOf(assumption, specification).length > 0;
}

/** @param say told of the progress */
export async function runContract(parts: ContractParts, say: (text: string) => void): Promise<ContractReport> {
  const startedAt = Date.now();
  const { plan, target, run } = parts;
  const suite = new ContractRun(parts);
  say(`${plan.specification.rows.length} rows of the specification, by plain HTTP and through the gateway ...`);
  const rows = await bothClients(suite, target.isSandbox);
  say(`${plan.assumptions.assumptions.length} assumptions of the dialect ...`);
  const assumptions = await suite.findings();
  const uniqueEnforced = plan.selection === 'read' ? [] : await suite.proofs();
  const isWhole = target.isSandbox && plan.selection === null;
  const isDrilled = isWhole && parts.isDrilled !== false;
  if (isDrilled) say('every fault on every operation ...');
  const faults = isDrilled ? await suite.drills() : null;
  const coverage = coverageOf({
    specification: plan.specification,
    results: rows,
    drills: faults,
    callers: productCallers(),
  });
  const emptied = isWhole ? emptyCells(coverage) : [];
  return {
    ok: isFine({ rows, assumptions, uniqueEnforced, faults, emptyCells: emptied }, isWhole),
    run,
    baseUrl: target.baseUrl,
    seconds: (Date.now() - startedAt) / 1_000,
    rows,
    assumptions,
    uniqueEnforced,
    faults,
    coverage,
    emptyCells: emptied,
  };
}

type Judged = Pick<ContractReport, 'rows' | 'assumptions' | 'uniqueEnforced' | 'faults' | 'emptyCells'>;

/** In a whole run against the sandbox nothing may be left out. */
function isFine({ rows, assumptions, uniqueEnforced, faults, emptyCells: empty }: Judged, isWhole: boolean): boolean {
  return [
    rows.every(({ verdict }) => verdict === 'passed' || (verdict !== 'failed' && !isWhole)),
    assumptions.every(({ verdict }) => verdict !== 'wrong'),
    uniqueEnforced.every(({ ok }) => ok),
    (faults ?? []).every(({ problems }) => problems.length === 0),
    empty.length === 0,
  ].every((isRight) => isRight);
}

/** A sandbox of our own takes both at once. */
async function bothClients(suite: ContractRun, atOnce: boolean): Promise<RowResult[]> {
  const plain = suite.plainRows();
  if (!atOnce) await plain;
  return (await Promise.all([plain, suite.gatewayRows()])).flat();
}

export interface ContractParts {
  readonly plan: ContractPlan;
  readonly target: Target;
  readonly setup: Setup;
  /** Entries of the dialect file; null where there is none. */
  readonly dialect: Readonly<Record<string, unknown>> | null;
  /** Part of every value that is written. */
  readonly run: string;
  /** False: without faults. What comes of many of them is what the dialect makes of it: they are for the assumed one. */
  readonly isDrilled?: boolean;
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
    const { setup, dialect } = this.parts;
    const readRefusal = refusalReader(dialect, setup);
    return proveUnique({ session: this.session('u'), client: this.plainClient(), readRefusal, setup });
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
    return new Session({ specification, setup, run: run + letter, names });
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
