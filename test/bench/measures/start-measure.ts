import { startProcess } from '#test-support';

import { apiTokens, tokenOf } from '../../e2e/api-client.js';
import { openHarness } from '../../e2e/harness.js';
import { compileLoyaltyd, loyaltydPath, startTimes } from '../../e2e/loyaltyd.js';
import { awaitEffects } from '../../e2e/partner.js';
import { enrolled, produce } from '../../e2e/traffic.js';
import { Undo } from '../../support/process/program.js';
import type { FiguresReport, FiguresRow } from '../report/bench-report.js';
import { judgeFigure } from '../report/judge.js';
import { median, rounded } from '../statistics.js';
import type { MeasureTools } from './measure.js';

const readyMsMax = 2_000;
const commandMsMax = 200;
const commands = { node: ['-e', '0'], help: [loyaltydPath, '--help'], get: [loyaltydPath, 'get', 'intents'] } as const;

const timesRow = (label: string, times: readonly number[]): FiguresRow => ({
  label,
  values: [Math.min(...times), median(times), Math.max(...times)].map(rounded),
});

/** Milliseconds until each of so many daemons, one after the other, says that it is ready. */
const untilReady = async (environment: Readonly<Record<string, string>>, rounds: number): Promise<number[]> => {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const since = performance.now();
    const daemon = await startProcess({
      command: process.execPath,
      args: [loyaltydPath, 'start'],
      env: environment,
    });
    times.push(performance.now() - since);
    await daemon.stop();
  }
  // The first one finds caches that are empty.
  return times.slice(1);
};

const measure = async ({ plan, say }: MeasureTools, undo: Undo): Promise<FiguresReport> => {
  const harness = await openHarness();
  undo.add(() => harness.close());
  await compileLoyaltyd();
  say(`start: ${plan.rounds} daemons, all roles, the schema in place`);
  const ready = await untilReady(harness.environment, plan.rounds);
  const daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens });
  const { operations } = daemon.ready as { readonly operations: string };
  say('start: commands of an operator');
  await produce(harness.broker, harness.topics, [enrolled('one')]);
  await awaitEffects(harness.sandboxUrl, 1);
  const env = { PATH: process.env['PATH'] ?? '', LOYALTYD_SERVER: operations, LOYALTYD_TOKEN: tokenOf('viewer') };
  const told = await startTimes(commands, env);
  const row = (label: string, { min, median: middle, max }: typeof told.node): FiguresRow => ({
    label,
    values: [min, middle, max],
  });
  return {
    kind: 'figures',
    name: 'start',
    unit: 'ms',
    columns: ['at best', 'median', 'at worst'],
    rows: [
      timesRow('a daemon, until it is ready', ready),
      row('loyaltyd --help', told.help),
      row('loyaltyd get intents', told.get),
      row('Node alone', told.node),
    ],
    bars: [
      judgeFigure({ text: 'a daemon is ready within 2,000 ms', atMost: readyMsMax }, median(ready)),
      judgeFigure({ text: '`loyaltyd --help` within 200 ms', atMost: commandMsMax }, told.help.median),
      judgeFigure({ text: '`loyaltyd get` within 200 ms', atMost: commandMsMax }, told.get.median),
    ],
    notes: ['The compiled programs, as an operator starts them, on real infrastructure.'],
  };
};

/** How soon a daemon is ready, and the command line done. */
export const startMeasure = (tools: MeasureTools): Promise<FiguresReport> => {
  const undo = new Undo();
  return undo.after(() => measure(tools, undo));
};
