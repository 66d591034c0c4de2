import { exitError, exitOk, exitUsage } from '../command-line/exit-codes.js';
import { doctorTable } from './doctor-table.js';

export interface DoctorOutput {
  readonly output: 'table' | 'json';
}

/** `loyaltyd doctor` from this process's own environment. @returns 0 all well, 1 something failed, 2 wrong configuration */
export async function runLocalDoctor(env: NodeJS.ProcessEnv, { output }: DoctorOutput): Promise<number> {
  const { runDoctor } = await import('#daemon');
  const { report, isConfigurationValid } = await runDoctor(env);
  process.stdout.write(output === 'json' ? `${JSON.stringify(report)}\n` : doctorTable(report));
  if (!isConfigurationValid) return exitUsage;
  return report.ok ? exitOk : exitError;
}
