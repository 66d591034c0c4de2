import { optionsOrExit, UsageError } from '../support/process/program.js';

const helpText = `npm run drill -- DRILL [options]

An installation under traffic, what befalls it, and both judges over all that was told and all that the partner has.

  chaos     real processes on this machine, everything breaks in every way; npm run chaos is the same
  soak      the same processes without proxies, as they run for months
  restore   the daemons' Postgres is lost and got back
  compose   the Compose stack: each container is killed; wants Docker
  cluster   the chart on a Kubernetes cluster: rollouts, evictions, outages

Each has options of its own: npm run drill -- DRILL --help

Exit code 0: every bar holds. 1: not so. 2: wrong usage.`;

interface Asked {
  readonly isJson: boolean;
  readonly isHelp: boolean;
}

interface Drill<Options extends Asked, Report extends { readonly ok: boolean }> {
  readonly helpText: string;
  readonly readOptions: (args: readonly string[]) => Options;
  readonly run: (options: Options) => Promise<Report>;
  /** The report for people. */
  readonly table: (report: Report) => string;
}

async function play<Options extends Asked, Report extends { readonly ok: boolean }>(
  drill: Drill<Options, Report>,
  args: readonly string[],
): Promise<void> {
  const options = optionsOrExit(() => drill.readOptions(args), drill.helpText);
  if (options.isHelp) {
    process.stdout.write(`${drill.helpText}\n`);
    return;
  }
  const report = await drill.run(options);
  process.stdout.write(`${options.isJson ? JSON.stringify(report, null, 2) : drill.table(report)}\n`);
  process.exitCode = report.ok ? 0 : 1;
}

/** What it takes to play one is loaded when it is played. */
const drills: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  chaos: async (args) => {
    const [options, { faultKinds }, { runChaos }, { chaosTable }] = await Promise.all([
      import('./chaos/options.js'),
      import('./faults/faults.js'),
      import('./chaos/run-chaos.js'),
      import('./chaos/report.js'),
    ]);
    const readOptions = (words: readonly string[]) => options.readOptions(words, faultKinds);
    await play({ helpText: options.helpText, readOptions, run: runChaos, table: chaosTable }, args);
  },
  soak: async (args) => {
    const [options, { runSoak }, { soakTable }] = await Promise.all([
      import('./soak/options.js'),
      import('./soak/run-soak.js'),
      import('./soak/report.js'),
    ]);
    await play({ ...options, run: runSoak, table: soakTable }, args);
  },
  restore: async (args) => {
    const [options, { runRestoreDrill }, { drillTable }] = await Promise.all([
      import('./restore/options.js'),
      import('./restore/run-restore.js'),
      import('./report.js'),
    ]);
    await play({ ...options, run: runRestoreDrill, table: drillTable }, args);
  },
  compose: async (args) => {
    const [options, { runComposeDrill }, { drillTable }] = await Promise.all([
      import('./compose/options.js'),
      import('./compose/run-compose.js'),
      import('./report.js'),
    ]);
    await play({ ...options, run: runComposeDrill, table: drillTable }, args);
  },
  cluster: async (args) => {
    const [options, { runCluster }, { drillTable }] = await Promise.all([
      import('./cluster/options.js'),
      import('./cluster/run-cluster.js'),
      import('./report.js'),
    ]);
    await play({ ...options, run: runCluster, table: drillTable }, args);
  },
};

const { name, rest } = optionsOrExit(([first = '', ...others]) => {
  if (first !== '--help' && drills[first] === undefined) throw new UsageError(`no such drill: ${first}`);
  return { name: first, rest: others };
}, helpText);
await (drills[name]?.(rest) ?? process.stdout.write(`${helpText}\n`));
