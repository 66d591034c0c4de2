import type { BenchReport } from './bench-report.js';
import { markdownTable } from './markdown-table.js';
import { measureTexts } from './measure-texts.js';
import type { BarReport, ComparisonReport, FiguresReport, MeasureReport, SideReport } from './measure-report.js';
import { nextLimit } from './next-limit.js';
import { profileTables } from './profile-tables.js';
import { costsOf, membersGiB, scalingHead, scalingRows } from './scaling.js';
import { formatNumber, formatRange } from './table.js';

const settingsOf = (sides: readonly SideReport[]): string[] =>
  new Set(sides.map(({ settings }) => settings)).size === 1
    ? [`Settings of all: \`${sides[0]?.settings ?? ''}\``]
    : ['Settings:', '', ...sides.map(({ label, settings }) => `- ${label}: \`${settings}\``)];

const comparisonTable = ({ unit, ours, peers, ratios }: ComparisonReport): string => {
  const head = ['', unit, 'min - max', 'the first is', 'CPU, us', 'Postgres CPU, us', 'WAL, bytes', 'statements'];
  const rows = [ours, ...peers].map((side) => {
    const ratio = ratios[side.name];
    return [
      side.label,
      formatNumber(side.rate.median),
      formatRange(side.rate),
      ratio === undefined ? '' : `${formatNumber(ratio.median)} x`,
      formatNumber(side.cpuMicrosecondsPerUnit),
      formatNumber(side.serverCpuMicrosecondsPerUnit),
      formatNumber(side.walBytesPerUnit),
      formatNumber(side.statementsPerUnit),
    ];
  });
  return [markdownTable(head, rows), '', ...settingsOf([ours, ...peers])].join('\n');
};

const figuresTable = ({ unit, columns, rows }: FiguresReport): string =>
  markdownTable(
    [unit, ...columns],
    rows.map(({ label, values }) => [label, ...values.map(formatNumber)]),
  );

const barTable = (bars: readonly BarReport[]): string[] => {
  if (bars.length === 0) return ['No bar: these are figures.'];
  const rows = bars.map(({ text, reached, holds }) => [text, formatNumber(reached), holds ? 'holds' : '**fails**']);
  return [markdownTable(['bar', 'reached', ''], rows)];
};

const sectionOf = (measure: MeasureReport, cores: number): string => {
  const figures = measure.kind === 'comparison' ? comparisonTable(measure) : figuresTable(measure);
  const notes = measure.notes.map((note) => `- ${note}`);
  const parts = [`## ${measure.name}`, '', measureTexts[measure.name] ?? '', '', figures, ''];
  const profile = measure.kind === 'comparison' ? [...nextLimit(measure, cores), ...profileTables(measure)] : [];
  return [...parts, ...profile, ...barTable(measure.bars), '', ...notes, ''].join('\n');
};

const headOf = (report: BenchReport): string[] => {
  const { machine, postgres } = report;
  const list = (entries: Readonly<Record<string, string>>, glue: string): string =>
    Object.entries(entries)
      .map(([name, value]) => `${name}${glue}${value}`)
      .join(', ');
  return [
    '# Performance',
    '',
    `Written by \`${report.command}\`, begun ${report.startedAt}, which took ${Math.round(report.seconds / 60)} minutes.`,
    'Not written by hand: run it again to replace it.',
    '',
    `- Machine: ${machine.processor}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.system}`,
    `- Node ${machine.node}; ${list(machine.packages, ' ')}`,
    `- Postgres: ${list(postgres, '=')}`,
    '',
    'Everything ran on this machine at once: what is measured, Postgres, Kafka where it is needed, and the stub of the',
    'partner. Ratios are taken round by round and say more than rates; figures are medians of the rounds.',
    '',
  ];
};

/** What more traffic needs, where enough was measured to say it. */
const scalingOf = ({ measures }: BenchReport): string[] => {
  const costs = costsOf(measures);
  if (costs === null) return [];
  const rows = scalingRows(costs).map(({ label, values }) => [label, ...values.map(formatNumber)]);
  return [
    '## What more traffic needs',
    '',
    'Calculated from the costs above, not measured: one intent for each event, delivered at the first attempt, processors',
    'like these at 60 %. [Scaling](scaling.md) says how to read it.',
    '',
    markdownTable(scalingHead, rows),
    '',
    `100 million members take ${formatNumber(membersGiB(costs))} GiB, whatever they do.`,
    '',
  ];
};

/** The report as a page in Markdown, not yet formatted. */
export const pageOf = (report: BenchReport): string =>
  [
    ...headOf(report),
    ...report.measures.map((measure) => sectionOf(measure, report.machine.cores)),
    ...report.failures.map(({ name }) => `## ${name}\n\nDid not come to its end in this run: no figures.\n`),
    ...scalingOf(report),
  ].join('\n');
