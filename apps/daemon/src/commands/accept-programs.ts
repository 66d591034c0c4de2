import { hostname } from 'node:os';

import type { Environment } from '#contracts';
import { MemberKeys, ProgramsLoadRepository } from '#intents';
import type { PostgresConnection } from '#platform';
import { anchorClock, Keyring, SystemClock, SystemRandom } from '#platform';

import { openProgramsFiles } from '../environment/configuration.module.js';
import { masterKeysOf } from '../environment/key-provider.js';
import { reportFailure, exitOk, exitUsage } from '../lifecycle/exits.js';
import { takenPrograms } from '../programs/programs-holder.js';
import { requireSchema } from '../storage/schema.js';
import { databaseCommand } from './database-command.js';

export interface AcceptProgramsOptions {
  /** Names of the changes, such as `club.purchaseKey`. */
  readonly accept: readonly string[];
  /** Who accepts them: in a container the user of the process is nobody's name. */
  readonly by: string;
  readonly reason: string;
}

async function acceptPrograms(
  { database }: PostgresConnection,
  environment: Environment,
  { accept, by, reason }: AcceptProgramsOptions,
): Promise<number> {
  const { programs } = await openProgramsFiles(environment);
  const clock = new SystemClock();
  await anchorClock(clock, database);
  const keys = new MemberKeys(new Keyring(await masterKeysOf(environment)), new SystemRandom());
  const loads = new ProgramsLoadRepository(database, keys);
  const taken = takenPrograms(programs.current, hostname());
  const [inForce] = await loads.list();
  const loaded = { hash: taken.hash, changed: taken.hash !== inForce?.hash };
  const audit = { at: clock.now(), actor: by, address: null, reason };
  const problems = await loads.requestReload({ loaded, taken, accept }, audit);
  if (problems.length > 0) return reportFailure(problems, exitUsage);
  process.stdout.write(`accepted ${accept.join(', ')}: the file is in force, every process takes it\n`);
  return exitOk;
}

/**
 * `loyaltyd accept-programs`: puts a programs file in force that does harm, where no process runs that could be asked. Needs
 * `DATABASE_URL`, `LOYALTYD_ENCRYPTION_KEY`, and the file as `start` does.
 * @returns the exit code: 2 where something else in the file does harm, or no file was refused
 */
export async function runAcceptPrograms(env: NodeJS.ProcessEnv, options: AcceptProgramsOptions): Promise<number> {
  return databaseCommand(env, {
    name: 'accept-programs',
    missing: ({ encryptionKeys }) => (encryptionKeys === null ? ['LOYALTYD_ENCRYPTION_KEY: must be set'] : []),
    run: async (connection, environment) => {
      await requireSchema(connection);
      return acceptPrograms(connection, environment, options);
    },
  });
}
