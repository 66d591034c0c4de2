import type { OwnedShard, Ownership } from '#intents';
import { giveOwnership, leaveOwnership, releaseOwnership, takeShard } from '#intents';
import type { Database } from '#platform';
import { anchorClock, SystemClock } from '#platform';

import { exitOk, exitUsage, reportFailure } from '../lifecycle/exits.js';
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

export interface ShardOptions extends Pick<OwnOptions, 'by' | 'reason'> {
  /** Numbers and ranges, such as `0-3,7`. */
  readonly partitions: string;
  /** How many each topic has. */
  readonly of: string;
  readonly shop: string;
}

const partitionsMax = 10_000;

/** @returns null: they are no partitions of so many */
export function shardOf({ partitions, of, shop }: Omit<ShardOptions, 'by' | 'reason'>): OwnedShard | null {
  const count = Number(of);
  const ranges = partitions.split(',').map((text) => /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text));
  const isRead = /^\d{1,5}$/.test(of) && count <= partitionsMax && /^[a-z0-9-]{1,60}$/.test(shop);
  const numbers = ranges.flatMap((range) => {
    const [first, last] = [Number(range?.[1]), Number(range?.[2] ?? range?.[1])];
    return range === null || last < first || last >= count
      ? [-1]
      : Array.from({ length: last - first + 1 }, (_, at) => first + at);
  });
  if (!isRead || numbers.includes(-1)) return null;
  return { shop, count, partitions: [...new Set(numbers)].toSorted((one, other) => one - other) };
}

/**
 * `loyaltyd shard`: makes an empty database one of several that share the partitions of all topics. Needs `DATABASE_URL`, of the
 * owner of the tables.
 * @returns the exit code
 */
export async function runShard(env: NodeJS.ProcessEnv, options: ShardOptions): Promise<number> {
  const shard = shardOf(options);
  if (shard === null) {
    return reportFailure(
      ['PARTITIONS must be numbers below --of, such as 0-3,7; --shop small letters, digits and hyphens'],
      exitUsage,
    );
  }
  return databaseCommand(env, {
    name: 'shard',
    run: async (connection) => {
      await requireSchema(connection);
      const { database } = connection;
      const clock = new SystemClock();
      await anchorClock(clock, database);
      await takeShard(database, shard, { at: clock.now(), actor: options.by, address: null, reason: options.reason });
      process.stdout.write(
        `${shard.partitions.length} of ${shard.count} partitions of each topic of ${shard.shop} are this database’s\n`,
      );
      return exitOk;
    },
  });
}
