import type { FiguresReport, FiguresRow } from '../report/bench-report.js';
import { costsOf } from '../report/scaling.js';
import { rounded } from '../statistics.js';
import type { MeasureTools } from './measure.js';

const million = 1e6;
const msPerHour = 3_600_000;
const bytesPerGiB = 1024 ** 3;
/** Rows of the spread, which no bill is made of. */
const isOfSpread = ({ label }: FiguresRow): boolean => /, (least|most)$/.test(label);

const row = (label: string, value: number): FiguresRow => ({ label, values: [rounded(value)] });

/** @returns processor time of daemon and Postgres for a million events, rate by rate */
const coreHours = ({ columns, rows }: FiguresReport): FiguresRow[] =>
  rows
    .filter((each) => !isOfSpread(each))
    .map(({ label, values }) => {
      const ms = ['daemon CPU ms', 'Postgres CPU ms'].reduce(
        (sum, head) => sum + (values[columns.indexOf(head)] ?? NaN),
        0,
      );
      return row(`core-hours, ${label}`, (million * ms) / msPerHour);
    });

/** Of a million events, one intent each: what the other measures found, calculated. */
export const billMeasure = async ({ earlier }: MeasureTools): Promise<FiguresReport> => {
  const figuresOf = (name: string): FiguresReport | undefined =>
    earlier.filter((report) => report.kind === 'figures').find((report) => report.name === name);
  const [endToEnd, rates, costs] = [figuresOf('end-to-end'), figuresOf('rates'), costsOf(earlier)];
  if (endToEnd === undefined || rates === undefined || costs === null) {
    throw new Error('the bill is made of end-to-end, rates, log and disk of the same run');
  }
  return {
    kind: 'figures',
    name: 'bill',
    unit: 'calculated',
    columns: ['a million events'],
    rows: [
      ...coreHours(rates),
      ...coreHours({ ...endToEnd, rows: endToEnd.rows.slice(0, 1) }),
      row('log, GB', (million * costs.walBytes) / 1e9),
      row('log with wal_compression, GB', (million * costs.walBytesCompressed) / 1e9),
      row('kept, GiB', (million * costs.bytesPerIntent) / bytesPerGiB),
    ],
    bars: [],
    notes: [
      'Processor time of daemon and Postgres by `rates` and `end-to-end`; log by `log`, with its many members; kept by `disk`: what an intent leaves until retention takes it, beside what each member has anyway. One intent an event, delivered at the first attempt. Kafka, backups and standbys are not in it.',
    ],
  };
};
