import type { Ownership } from '#intents';
import { giveOwnership, leaveOwnership, releaseOwnership } from '#intents';
import type { Database } from '#platform';
import { anchorClock, SystemClock } from '#platform';

import { exitOk } from '../lifecycle/exits.js';
import { requireSchema } from '../storage/schema.js';
import { databaseCommand } from './database-command.js';

export interface OwnOptions {
  /** Who says so: in a container the user of the process is nobody's name. */
  readonly by: string;
  readonly reason: string;
  /** No other copy of the database works, nor ever will. */
  readonly othersAreGone: boolean;
}

/** How often it is asked whether the last calls have ended. */
const drainPollMs = 500;

function givenText({ epoch, here }: Pick<Ownership, 'epoch' | 'here'>): string {
  return `epoch ${epoch} is given to ${here}: this database records and sends\n`;
}

async function drain(database: Database, clock: SystemClock): Promise<void> {
  while (!(await releaseOwnership(database, clock.now()))) await clock.sleep(drainPollMs);
}

/**
 * `loyaltyd own`: lets a copied database record and send. Needs `DATABASE_URL`, of the owner of the tables.
 * @returns the exit code: 2 where another copy may still send
 */
export async function runOwn(env: NodeJS.ProcessEnv, options: OwnOptions): Promise<number> {
  return databaseCommand(env, {
    name: 'own',
    run: async (connection) => {
      await requireSchema(connection);
      const clock = new SystemClock();
      await anchorClock(clock, connection.database);
      const { by: actor, reason, othersAreGone } = options;
      const audit = { at: clock.now(), actor, address: null, reason };
      process.stdout.write(givenText(await giveOwnership(connection.database, { audit, othersAreGone })));
      return exitOk;
    },
  });
}

/**
 * `loyaltyd disown`: lets a database record and send nothing more, so that a copy may be given the epoch. Returns once no
 * call is under way; the daemons may run meanwhile, and record the last answers. Needs `DATABASE_URL`, of the owner of the tables.
 * @returns the exit code
 */
export async function runDisown(
  env: NodeJS.ProcessEnv,
  { by: actor, reason }: Pick<OwnOptions, 'by' | 'reason'>,
): Promise<number> {
  return databaseCommand(env, {
    name: 'disown',
    run: async (connection) => {
      await requireSchema(connection);
      const { database } = connection;
      const clock = new SystemClock();
      await anchorClock(clock, database);
      await leaveOwnership(database, { at: clock.now(), actor, address: null, reason });
      process.stdout.write('nothing more is recorded or begun; waiting for the calls that are under way\n');
      await drain(database, clock);
      process.stdout.write('released: a copy that is taken from now on may be given the epoch (loyaltyd own)\n');
      return exitOk;
    },
  });
}
