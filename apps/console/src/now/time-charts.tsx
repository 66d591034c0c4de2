import { type ComponentProps, type ReactNode, useMemo, useState } from 'react';

import { ApiProblem } from '../api/api-problem.js';
import { Chart } from '../components/chart.js';
import { EmptyState } from '../components/empty-state.js';
import { ErrorPanel } from '../components/error-panel.js';
import { useMe } from '../session/session-store.js';
import {
  calmText,
  finishedOf,
  flowOf,
  isBlank,
  isUnknown,
  lagOf,
  latencyOf,
  type Range,
  type Series,
  stepText,
  stoodOf,
  problemOf,
} from './over-time.js';
import styles from './time-charts.module.css';
import type { Stats } from './problem.js';
import { useSeries } from './use-looked.js';

interface TimeChartsProps {
  readonly stats: Stats;
  readonly range: Range;
  readonly program?: string;
}

/** What stands now is drawn so often at most: a chart that is drawn anew loses what one points at. */
const redrawMs = 10_000;

function useCalm(stats: Stats): Stats {
  const [kept, setKept] = useState(stats);
  if (Date.parse(stats.at) - Date.parse(kept.at) >= redrawMs) setKept(stats);
  return kept;
}

type ChartProps = ComponentProps<typeof Chart>;

const lowPx = 140;

function lagCharts({ records, age }: ReturnType<typeof lagOf>): readonly ChartProps[] {
  if (isUnknown(records)) return [];
  return [
    { label: 'Consumer lag (records)', ...records, heightPx: lowPx },
    { label: 'Consumer lag (age in s)', ...age, heightPx: lowPx },
  ];
}

function Drawn({ series, stats, program }: Omit<TimeChartsProps, 'range'> & { readonly series: Series }): ReactNode {
  const isWhole = useMe().limitedTo === null && program === undefined;
  const now = useCalm(stats);
  const nowMs = Date.parse(now.at);
  const finished = useMemo(() => finishedOf(series, nowMs), [series, nowMs]);
  const flow = useMemo(() => flowOf(finished), [finished]);
  const stood = useMemo(() => stoodOf(finished, now, program), [finished, now, program]);
  const lag = useMemo(() => lagCharts(lagOf(finished, now)), [finished, now]);
  const latency = useMemo(() => latencyOf(finished), [finished]);
  const trouble = useMemo(() => problemOf(finished), [finished]);
  const step = stepText(series.stepSeconds);
  const charts: readonly ChartProps[] = [
    { label: `Recorded and delivered, ${step}`, ...flow },
    { label: 'State over time', ...stood },
    ...(isWhole ? lag : []),
    ...(isUnknown(latency) ? [] : [{ label: `Partner answers in (ms), ${step}`, ...latency, heightPx: lowPx }]),
    ...(isBlank(trouble) ? [] : [{ label: `Went wrong, ${step}`, ...trouble, heightPx: lowPx }]),
  ];
  const notes = [
    ...(isWhole && lag.length === 0 ? ['How far Kafka was ahead in this time is not known.'] : []),
    ...(isUnknown(latency) ? ['No call to the partner is known of in this time.'] : []),
    ...(isBlank(trouble) ? [calmText(finished)] : []),
  ];
  return (
    <div className={styles.charts}>
      {charts.map((chart) => (
        <Chart key={chart.label} {...chart} />
      ))}
      {notes.map((note) => (
        <p key={note} className={styles.nothing}>
          {note}
        </p>
      ))}
    </div>
  );
}

/** The charts of a range, fresh as the stream and the minutes are. */
export function TimeCharts({ stats, range, program }: TimeChartsProps): ReactNode {
  const { data, error, refetch } = useSeries(range, program);
  if (error instanceof ApiProblem && error.status === 404) {
    return <EmptyState title="No chart">This daemon does not keep what happened over time.</EmptyState>;
  }
  if (error !== null) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <div className={styles.place} />;
  if (data.items.length === 0) {
    return (
      <EmptyState title="No chart yet">The first minute is not over: what it brought is shown after it.</EmptyState>
    );
  }
  return <Drawn series={data} stats={stats} {...(program === undefined ? {} : { program })} />;
}
