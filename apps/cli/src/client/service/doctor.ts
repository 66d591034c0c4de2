import type { DoctorReport } from '#contracts';

import { CommandFailure } from '../../command-line/command-failure.js';
import { exitError, exitOk, exitUsage } from '../../command-line/exit-codes.js';
import { doctorTable } from '../../doctor/doctor-table.js';
import type { LocalDiagnosis } from '../../doctor/local-doctor.js';
import type { ConnectionFlags } from '../connection/resolve-connection.js';
import { resolveConnection } from '../connection/resolve-connection.js';
import { ApiClient } from '../http/api-client.js';
import type { OutputFlags } from '../options/output-options.js';
import type { OneView } from '../output/write-one.js';
import { writeOne } from '../output/write-one.js';
import type { Terminal } from '../terminal/terminal.js';

export interface DoctorFlags extends ConnectionFlags, OutputFlags {}

const view: OneView<DoctorReport> = {
  text: (report) => doctorTable(report),
  nameOf: ({ checks }) => checks.flatMap(({ name, state }) => (state === 'failed' ? name : [])).join(' '),
};

/** A profile that happens to be there does not count: on the daemon's machine its own environment is what matters. */
function isServerNamed({ server, profile }: DoctorFlags, env: Terminal['env']): boolean {
  const named = [server, profile, env['LOYALTYD_SERVER'], env['LOYALTYD_PROFILE']];
  return named.some((name) => name !== undefined && name !== '');
}

async function examineThere(terminal: Terminal, flags: DoctorFlags): Promise<LocalDiagnosis> {
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const report = (await client.get('/doctor')) as DoctorReport;
  if (!Array.isArray(report.checks)) throw new CommandFailure('the server did not answer with checks');
  return { report, isConfigurationValid: true };
}

/**
 * Looks at everything that the daemon depends on: as a server that is named has it, else as the environment has it.
 * @returns the exit code; 2 where the environment is not valid
 */
export async function doctor(terminal: Terminal, flags: DoctorFlags): Promise<number> {
  const { examineHere } = await import('../../doctor/local-doctor.js');
  const examined = isServerNamed(flags, terminal.env) ? examineThere(terminal, flags) : examineHere(terminal.env);
  const { report, isConfigurationValid } = await examined;
  await writeOne(terminal, view, { item: report, format: flags.output });
  if (!isConfigurationValid) return exitUsage;
  return report.ok ? exitOk : exitError;
}
