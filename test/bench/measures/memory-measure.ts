import { Undo } from '../../support/process/program.js';
import { openInstallation, recommendedNodeOptions } from '../infrastructure/bench-installation.js';
import { awaitApplied, EventFeeder, feedWithLead } from '../infrastructure/load.js';
import type { BarReport, FiguresReport } from '../report/bench-report.js';
import { judgeFigure } from '../report/judge.js';
import { rounded } from '../statistics.js';
import type { MemoryFigures } from './describe-memory.js';
import { describeMemory, sampleMemory } from './describe-memory.js';
import type { MeasureTools } from './measure.js';

const columns = ['1st fifth', '2nd', '3rd', '4th', 'last fifth', 'max', 'events/s'];

const barsOf = ({ max, growth }: MemoryFigures, isLong: boolean): BarReport[] => [
  judgeFigure({ text: 'max < 400 MiB', atMost: 400 }, max),
  ...(isLong ? [judgeFigure({ text: 'last fifth <= 1.1 x the second fifth (medians)', atMost: 1.1 }, growth)] : []),
];

const measure = async (tools: MeasureTools, undo: Undo): Promise<FiguresReport> => {
  const { members, events, leadMax, isLong, secondsMax } = tools.plan.memory;
  tools.say(`memory: ${events} events from Kafka to the partner through one daemon`);
  const { broker, purchases, stub, daemons } = await openInstallation(tools, members, undo);
  const feeder = await EventFeeder.connect(broker, purchases, { members });
  undo.add(() => feeder.stop());
  await awaitApplied(stub, members, secondsMax * 1_000);
  const sampling = sampleMemory(daemons[0]?.pid ?? NaN);
  undo.add(() => sampling.stop());
  const startedAt = performance.now();
  await feedWithLead(feeder, stub, { events, leadMax, secondsMax });
  await awaitApplied(stub, members + events, secondsMax * 1_000);
  const seconds = (performance.now() - startedAt) / 1_000;
  const figures = describeMemory(await sampling.stop());
  const notes = [
    `Resident memory of one daemon process with all roles and NODE_OPTIONS="${recommendedNodeOptions.join(' ')}", every second; medians.`,
    `At most ${leadMax} events were on their way at a time.`,
    ...(isLong ? [] : ['Too short a run to tell whether memory grows: a full one does.']),
  ];
  const values = [...figures.fifths, figures.max, events / seconds].map(rounded);
  const row = { label: `${events.toLocaleString('en-US')} events`, values };
  const bars = barsOf(figures, isLong);
  return { kind: 'figures', name: 'memory', unit: 'MiB', columns, rows: [row], bars, notes };
};

/** A daemon's memory over a long run. */
export const memoryMeasure = (tools: MeasureTools): Promise<FiguresReport> => {
  const undo = new Undo();
  return undo.after(() => measure(tools, undo));
};
