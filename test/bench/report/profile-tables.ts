import { rounded } from '../statistics.js';
import type { Layer } from './layers.js';
import { markdownTable } from './markdown-table.js';
import type { ComparisonReport, StatementReport } from './measure-report.js';
import { formatNumber } from './table.js';

/** The layers below one another and the sides beside one another. */
const layerTable = ({ layers }: ComparisonReport): string[] => {
  const sides = Object.entries(layers);
  if (sides.length === 0) return [];
  const names = [...new Set(sides.flatMap(([, side]) => side.map(({ layer }) => layer)))];
  const shareOf = (side: readonly Layer[], name: string): string =>
    formatNumber(side.find(({ layer }) => layer === name)?.share ?? null);
  const rows = names.map((name) => [name, ...sides.map(([, side]) => shareOf(side, name))]);
  return [
    'Where each process spent its time, in percent (V8 profile, warm-up included):',
    '',
    markdownTable(['', ...sides.map(([side]) => side)], rows),
    '',
  ];
};

const statementRow = (statement: StatementReport): string[] => [
  `\`${statement.text.replaceAll('|', '\\|')}\``,
  ...[
    statement.calls,
    statement.executeMs / statement.calls,
    statement.planMs / statement.calls,
    statement.microsecondsPerUnit,
    statement.walBytesPerUnit,
    statement.pagesHit / statement.calls,
    statement.pagesRead / statement.calls,
  ].map((value) => formatNumber(rounded(value))),
];

/** Further ones take little. All of them, with their plans, are in the report that `--json` prints. */
const statementsMax = 4;

const statementTable = ({ statements, ours }: ComparisonReport): string[] => {
  if (statements.length === 0) return [];
  const head = [
    '',
    'calls',
    'ms each',
    'planning, ms each',
    'us a unit',
    'WAL bytes a unit',
    'pages hit',
    'pages read',
  ];
  return [
    `The dearest statements of ${ours.label} in the last round (pg_stat_statements; pages for each call; plans: \`--json\`):`,
    '',
    markdownTable(head, statements.slice(0, statementsMax).map(statementRow)),
    '',
  ];
};

/** Where the time went: nothing without a profile. */
export const profileTables = (report: ComparisonReport): string[] => [...layerTable(report), ...statementTable(report)];
