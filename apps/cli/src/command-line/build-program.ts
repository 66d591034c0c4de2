import { Command, Option } from 'commander';

import type { DoctorOutput } from '../doctor/local-doctor.js';
import { portOption } from './port-option.js';
import { productVersion } from './product-version.js';

/** A command's exit code, handed over because Commander does not pass on what an action returns. */
export type Finish = (exitCode: number) => void;

interface MigrateFlags {
  readonly plan?: boolean;
  readonly adoptEnvironment?: boolean;
}

interface DevFlags {
  readonly data?: string;
  readonly port: number;
  readonly sandboxPort: number;
}

const exitCodesHelp = `
Exit codes: 0 ok, 1 error, 2 usage, 3 nothing matched. The commands start, migrate, rebuild, accept-gap and doctor are configured by environment variables, see docs/configuration.md.`;

/**
 * The commands of `loyaltyd`. What a command needs is imported when it runs: `--help` must not load a database driver.
 */
export function buildProgram(finish: Finish): Command {
  const program = new Command('loyaltyd')
    .description('Event-sourced loyalty sync daemon: Kafka in, Postgres intents, a partner’s Wallet Card API out.')
    .version(productVersion())
    .showHelpAfterError('(`loyaltyd --help` lists the commands)')
    .addHelpText('after', exitCodesHelp)
    .exitOverride();
  addStart(program, finish);
  addDev(program, finish);
  addMigrate(program, finish);
  addRebuild(program, finish);
  addAcceptGap(program, finish);
  addDoctor(program, finish);
  return program;
}

function addStart(program: Command, finish: Finish): void {
  program
    .command('start')
    .description('run the daemon until SIGTERM; prints one JSON line when it is ready')
    .action(async () => {
      const { runDaemon } = await import('#daemon');
      finish(await runDaemon(process.env));
    });
}

function addDev(program: Command, finish: Finish): void {
  program
    .command('dev')
    .description('run everything embedded on this machine: Postgres, a Kafka broker, the wallet sandbox, the daemon')
    .option('--data <folder>', 'keep data, keys and logs here; without it they go with the last process')
    .addOption(portOption('--port <port>', 'where operations listens; 0 takes any free port', 8080))
    .addOption(portOption('--sandbox-port <port>', 'where the wallet sandbox listens; 0 takes any free port', 4010))
    .action(async (flags: DevFlags) => {
      const { runDev } = await import('../dev/run-dev.js');
      finish(await runDev({ dataFolder: flags.data ?? null, port: flags.port, sandboxPort: flags.sandboxPort }));
    });
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

function addAcceptGap(program: Command, finish: Finish): void {
  program
    .command('accept-gap')
    .description('let a partition go on whose records were lost before they were consumed')
    .argument('<topic/partition>', 'such as loyalty.purchases/3')
    .requiredOption('--reason <text>', 'why, for the record')
    .action(async (partition: string, { reason }: { readonly reason: string }) => {
      const { runAcceptGap } = await import('#daemon');
      finish(await runAcceptGap(process.env, { partition, reason }));
    });
}

function addDoctor(program: Command, finish: Finish): void {
  program
    .command('doctor')
    .description('check every dependency, say what is wrong and how to mend it; no daemon need run, nothing is changed')
    .addOption(new Option('-o, --output <format>', 'how to show it').choices(['table', 'json']).default('table'))
    .action(async ({ output }: DoctorOutput) => {
      const { runLocalDoctor } = await import('../doctor/local-doctor.js');
      finish(await runLocalDoctor(process.env, { output }));
    });
}

function addMigrate(program: Command, finish: Finish): void {
  program
    .command('migrate')
    .description('bring the database schema up to date')
    .option('--plan', 'only say what would be done')
    .option('--adopt-environment', 'make the database belong to the partner that is configured now')
    .action(async ({ plan = false, adoptEnvironment = false }: MigrateFlags) => {
      const { runMigrate } = await import('#daemon');
      finish(await runMigrate(process.env, { plan, adoptEnvironment }));
    });
}
