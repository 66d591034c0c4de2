import { wrongUsage } from '../../command-line/command-failure.js';
import type { Terminal } from '../terminal/terminal.js';
import type { JobFlags } from './run-job.js';
import { runJob } from './run-job.js';

export interface ProvisionFlags extends JobFlags {
  readonly program?: string;
  readonly plan?: boolean;
  readonly apply?: boolean;
}

/** Plans, or creates at the partner, what the programs file declares. @returns the exit code */
export async function provision(terminal: Terminal, flags: ProvisionFlags): Promise<number> {
  const { program, plan = false, apply = false } = flags;
  if (plan === apply) throw wrongUsage('provision: --plan to look, or --apply to create');
  return runJob(terminal, { kind: 'provisioning', says: { program, apply } }, flags);
}
