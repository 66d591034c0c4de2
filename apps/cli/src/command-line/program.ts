import { Command, CommanderError, Option } from 'commander';

import {
  addCorrect,
  addQuarantineVerbs,
  addReplay,
  addResolve,
  addAsk,
  addSettle,
  addSteeringVerbs,
} from '../client/commands/act-commands.js';
import { addJobs } from '../client/commands/job-commands.js';
import { addDescribe, addFind, addGet } from '../client/commands/look-commands.js';
import { addService } from '../client/commands/service-commands.js';
import { addInit } from '../init/init-command.js';
import { addLint, addSend, addTrigger } from '../producers/producer-commands.js';
import { CommandFailure, exitError, exitOk, exitUsage, wrongUsage } from './command-failure.js';
import { portOption } from './option-values.js';
import { productVersion } from './product-version.js';
import type { CommandContext, Finish, Terminal } from './terminal.js';
import { ReaderGone, systemTerminal } from './terminal.js';

interface MigrateFlags {
  readonly plan?: boolean;
  readonly adoptEnvironment?: boolean;
  readonly grant?: string;
}

interface DevFlags {
  readonly data?: string;
  readonly programs?: string;
  readonly sources?: string;
  readonly dialect?: string;
  readonly sandboxSeed?: string;
  readonly port: number;
  readonly sandboxPort: number;
  readonly kafkaPort: number;
}

const exitCodesHelp = `
Exit codes: 0 ok, 1 error, 2 usage, 3 nothing matched, 4 some items failed, 5 not allowed,
6 something is to be done (migrate --plan).
Where the operations API is: --server and --token-file, LOYALTYD_SERVER and LOYALTYD_TOKEN, or \`loyaltyd login\`; see docs/cli.md.
The commands start, migrate, rebuild, rotate-keys, make-key, rewrap-keys, maintain, accept-gap, accept-programs, own, disown, shard and, without a server, doctor are configured by environment variables, see docs/configuration.md.`;

/**
 * The commands of `loyaltyd`. What a command needs is imported when it runs: `--help` must not load a database driver.
 */
export function buildProgram(context: CommandContext): Command {
  const { finish, terminal } = context;
  const program = new Command('loyaltyd')
    .description('Event-sourced loyalty sync daemon: Kafka in, Postgres intents, a partner’s Wallet Card API out.')
    .version(productVersion())
    .showHelpAfterError('(`loyaltyd --help` lists the commands)')
    .addHelpText('after', exitCodesHelp)
    .configureOutput({ writeErr: (text) => terminal.report(text.replace(/\n$/, '')) })
    .enablePositionalOptions()
    .exitOverride();
  program.commandsGroup('Begin:');
  addInit(program, context);
  program.commandsGroup('Daemon:');
  addStart(program, finish);
  addDev(program, finish);
  addMigrate(program, finish);
  addRebuild(program, finish);
  addRotateKeys(program, finish);
  addWrappedKeys(program, finish);
  addMaintain(program, finish);
  addAcceptGap(program, finish);
  addAcceptPrograms(program, finish);
  addOwnership(program, finish);
  addShard(program, finish);
  program.commandsGroup('For producers:');
  addLint(program, finish);
  addTrigger(program, finish);
  addSend(program, finish);
  addClientCommands(program, context);
  return program;
}

/** The operator's commands: all of them ask the operations API. What they need is imported when they run. */
function addClientCommands(program: Command, context: CommandContext): void {
  program.commandsGroup('Look:');
  addFind(program, context);
  addGet(program, context);
  addDescribe(program, context);
  program.commandsGroup('Act:');
  addReplay(program, context);
  addResolve(program, context);
  addAsk(program, context);
  addSettle(program, context);
  addCorrect(program, context);
  addSteeringVerbs(program, context);
  addQuarantineVerbs(program, context);
  program.commandsGroup('Bulk:');
  addJobs(program, context);
  program.commandsGroup('Service:');
  addService(program, context);
}

function addStart(program: Command, finish: Finish): void {
  program
    .command('start')
    .description('run the daemon until SIGTERM; prints one JSON line when it is ready')
    .option('--recovered-from <time>', 'the database was restored to this moment (RFC 3339): see docs/restore.md')
    .option('--lost-until <time>', 'with it: no process worked on the lost database after this (RFC 3339)')
    .action(async (options: { readonly recoveredFrom?: string; readonly lostUntil?: string }) => {
      const { runDaemon } = await import('#daemon');
      finish(await runDaemon(process.env, options));
    });
}

/** The image leaves out what is for developers. */
function notInImage(error: unknown): never {
  const isLeftOut = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
  if (!isLeftOut) throw error;
  throw new CommandFailure('dev runs in a checkout of the project only', exitError, { cause: error });
}

function addDev(program: Command, finish: Finish): void {
  program
    .command('dev')
    .description('run everything embedded on this machine: Postgres, a Kafka broker, the wallet sandbox, the daemon')
    .option('--data <folder>', 'keep data, keys and logs here; without it they go with the last process')
    .option('--programs <file>', 'your programs file, in place of two clubs; it is followed as the daemon follows it')
    .option('--sources <file>', 'your sources, where they are a file of their own')
    .option('--dialect <file>', 'your dialect')
    .option('--sandbox-seed <file>', 'what the sandbox has, in place of what your programs file names')
    .addOption(portOption('--port <port>', 'where operations listens; 0 takes any free port', 8080))
    .addOption(portOption('--sandbox-port <port>', 'where the wallet sandbox listens; 0 takes any free port', 4010))
    .addOption(portOption('--kafka-port <port>', 'where the Kafka broker listens; 0 takes any free port', 0))
    .action(async (flags: DevFlags) => {
      const { runDev } = await import('../dev/run-dev.js').catch(notInImage);
      const { data = null, port, sandboxPort, kafkaPort } = flags;
      finish(await runDev({ dataFolder: data, own: ownPaths(flags), port, sandboxPort, kafkaPort }));
    });
}

/** @throws {CommandFailure} where the programs file is missing that the other files belong to */
function ownPaths({ programs, sources, dialect, sandboxSeed }: DevFlags) {
  if (programs !== undefined) {
    return { programs, sources: sources ?? null, dialect: dialect ?? null, sandboxSeed: sandboxSeed ?? null };
  }
  const given = { '--sources': sources, '--dialect': dialect, '--sandbox-seed': sandboxSeed };
  const [alone] = Object.entries(given).find(([, file]) => file !== undefined) ?? [];
  if (alone !== undefined) throw wrongUsage(`${alone}: goes with --programs`);
  return null;
}

function addRebuild(program: Command, finish: Finish): void {
  program
    .command('rebuild')
    .description('recreate the lanes from the truth tables; stop delivery first')
    .action(async () => {
      const { runRebuild } = await import('#daemon');
      finish(await runRebuild(process.env));
    });
}

function addRotateKeys(program: Command, finish: Finish): void {
  program
    .command('rotate-keys')
    .description('wrap every data key by the first encryption key, so that the others can be taken away')
    .option('--reason <text>', 'why, for the record', 'rotation')
    .action(async (flags: { readonly reason: string }) => {
      const { runRotateKeys } = await import('#daemon');
      finish(await runRotateKeys(process.env, flags));
    });
}

function addWrappedKeys(program: Command, finish: Finish): void {
  program
    .command('make-key')
    .description('print a new encryption key that Vault has made and wrapped')
    .action(async () => {
      const { runMakeKey } = await import('#daemon');
      finish(await runMakeKey(process.env));
    });
  program
    .command('rewrap-keys')
    .description('print the encryption keys, each wrapped by the newest version of the key in Vault')
    .action(async () => {
      const { runRewrapKeys } = await import('#daemon');
      finish(await runRewrapKeys(process.env));
    });
}

function addMaintain(program: Command, finish: Finish): void {
  program
    .command('maintain')
    .description('let leave what has been kept for long enough, as the owner of the tables')
    .option('--plan', 'only count the intents that would leave')
    .action(async ({ plan = false }: { readonly plan?: boolean }) => {
      const { runMaintain } = await import('#daemon');
      finish(await runMaintain(process.env, { plan }));
    });
}

function addAcceptGap(program: Command, finish: Finish): void {
  program
    .command('accept-gap')
    .description('let a partition go on whose records were lost before they were consumed')
    .argument('<topic/partition>', 'such as loyalty.purchases/3')
    .option('--reason <text>', 'why, for the record', 'asked for on the command line')
    .action(async (partition: string, { reason }: { readonly reason: string }) => {
      const { runAcceptGap } = await import('#daemon');
      finish(await runAcceptGap(process.env, { partition, reason }));
    });
}

interface AcceptProgramsFlags {
  readonly by: string;
  readonly reason: string;
}

function addAcceptPrograms(program: Command, finish: Finish): void {
  program
    .command('accept-programs')
    .description('put a programs file in force that does harm, where no process runs: else reload --accept')
    .argument('<change...>', 'the changes that a start names, such as coffee-club.purchaseKey')
    .requiredOption('--by <name>', 'who accepts them, for the record')
    .requiredOption('--reason <text>', 'why, for the record')
    .action(async (accept: readonly string[], { by, reason }: AcceptProgramsFlags) => {
      const { runAcceptPrograms } = await import('#daemon');
      finish(await runAcceptPrograms(process.env, { accept, by, reason }));
    });
}

interface OwnFlags extends AcceptProgramsFlags {
  readonly othersAreGone?: boolean;
}

function addOwnership(program: Command, finish: Finish): void {
  program
    .command('own')
    .description('let a copied database record and send: see docs/operations/backup.md')
    .requiredOption('--by <name>', 'who says so, for the record')
    .requiredOption('--reason <text>', 'why, for the record')
    .option('--others-are-gone', 'no other copy of it works, nor ever will: only where none could be disowned')
    .action(async ({ othersAreGone = false, ...flags }: OwnFlags) => {
      const { runOwn } = await import('#daemon');
      finish(await runOwn(process.env, { ...flags, othersAreGone }));
    });
  program
    .command('disown')
    .description('let a database record and send nothing more, before it is copied to another server')
    .requiredOption('--by <name>', 'who says so, for the record')
    .requiredOption('--reason <text>', 'why, for the record')
    .action(async (flags: AcceptProgramsFlags) => {
      const { runDisown } = await import('#daemon');
      finish(await runDisown(process.env, flags));
    });
}

interface ShardFlags extends AcceptProgramsFlags {
  readonly of: string;
  readonly shop: string;
}

function addShard(program: Command, finish: Finish): void {
  program
    .command('shard')
    .description('make an empty database one of several that share the partitions: see docs/scaling.md')
    .argument('<partitions>', 'of every topic, such as 0-3')
    .requiredOption('--of <number>', 'how many partitions each topic has')
    .requiredOption('--shop <name>', 'the same for all databases that share')
    .requiredOption('--by <name>', 'who says so, for the record')
    .requiredOption('--reason <text>', 'why, for the record')
    .action(async (partitions: string, flags: ShardFlags) => {
      const { runShard } = await import('#daemon');
      finish(await runShard(process.env, { partitions, ...flags }));
    });
}

function addMigrate(program: Command, finish: Finish): void {
  program
    .command('migrate')
    .description('bring the database schema up to date')
    .option('--plan', 'only say what would be done; exit code 6 where there is something')
    .option('--adopt-environment', 'make the database belong to the partner that is configured now')
    .addOption(new Option('--grant <role>', 'then give the role of the application what it needs').conflicts('plan'))
    .action(async ({ plan = false, adoptEnvironment = false, grant }: MigrateFlags) => {
      const { runMigrate } = await import('#daemon');
      finish(await runMigrate(process.env, { plan, adoptEnvironment, grant: grant ?? null }));
    });
}

/** Runs one command of `loyaltyd`. @returns the exit code of contracts.md section 4 */
export async function runCommandLine(words: readonly string[], terminal: Terminal = systemTerminal()): Promise<number> {
  let code = exitOk;
  const finish = (result: number): void => {
    code = result;
  };
  try {
    await buildProgram({ finish, terminal }).parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    return exitCodeOf(error, terminal);
  }
}

function exitCodeOf(error: unknown, terminal: Terminal): number {
  // Commander has already said what is wrong, or shown the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === exitOk ? exitOk : exitUsage;
  // Such as `head`: it has what it wanted.
  if (error instanceof ReaderGone) return exitOk;
  terminal.report(`loyaltyd: ${error instanceof Error ? error.message : String(error)}`);
  return error instanceof CommandFailure ? error.exitCode : exitError;
}
