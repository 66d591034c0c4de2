import type { ContractClient } from '../interpreter/contract-client.js';
import type { Names } from '../interpreter/names.js';
import type { Session } from '../interpreter/session.js';
import type { Assumptions } from './assumption.js';
import { Controls } from './controls.js';
import type { Finding } from './finding.js';
import { probeAssumption } from './probe-assumption.js';

export interface ProbeRun {
  readonly assumptions: Assumptions;
  readonly session: Session;
  readonly clients: readonly ContractClient[];
  readonly names: Names;
}

/** One finding per entry of the dialect, in the order of the data file. */
export async function probeAll({ assumptions, session, clients, names }: ProbeRun): Promise<Finding[]> {
  const [first] = clients;
  if (first === undefined) throw new Error('somebody has to ask');
  const controls = new Controls({ assumptions, session, client: first });
  const findings: Finding[] = [];
  const waiting = assumptions.assumptions.map((assumption, index) => ({ assumption, index }));
  const work = async (client: ContractClient): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      findings[next.index] = await probeAssumption(next.assumption, { controls, session, client, names });
    }
  };
  await Promise.all(clients.map(work));
  return findings;
}
