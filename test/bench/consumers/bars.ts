import type { BarReport, FiguresTable } from '../report/bench-report.js';
import { judgeFigure } from '../report/judge.js';
import { columns as lagColumns } from './lag.js';
import { columns as rebalanceColumns } from './rebalances.js';

/** `sessionTimeoutMs` of libs/kafka/src/drivers/kafkajs/consumer-life.ts: nobody can set it. */
const sessionSeconds = 10;
/** To notice, to join again, and to go on. */
const rebalanceSeconds = 10;

const column = ({ rows }: FiguresTable, columns: readonly string[], head: string): number[] =>
  rows.map(({ values }) => values[columns.indexOf(head)] ?? NaN);

export const consumersBars = (lag: FiguresTable, rebalances: FiguresTable): BarReport[] => {
  const rates = column(lag, lagColumns, 'events/minute');
  const wrong = [...column(lag, lagColumns, 'lost'), ...column(lag, lagColumns, 'doubled')];
  const [joined = NaN, stopped = NaN, killed = NaN] = column(rebalances, rebalanceColumns, 'worst s');
  const again = 'every partition is consumed again within';
  return [
    judgeFigure(
      { text: 'events lost or recorded twice: none', atMost: 0 },
      wrong.reduce((sum, count) => sum + count, 0),
    ),
    judgeFigure(
      { text: '12 processes bring >= 0.8 of what the best number brings', atLeast: 0.8 },
      (rates.at(-1) ?? NaN) / Math.max(...rates),
    ),
    judgeFigure({ text: `after one joined ${again} ${rebalanceSeconds} s`, atMost: rebalanceSeconds }, joined),
    judgeFigure({ text: `after one was stopped ${again} ${rebalanceSeconds} s`, atMost: rebalanceSeconds }, stopped),
    judgeFigure(
      {
        text: `after one was killed ${again} its session of ${sessionSeconds} s and ${rebalanceSeconds} s`,
        atMost: sessionSeconds + rebalanceSeconds,
      },
      killed,
    ),
  ];
};
