import { type ReactNode, useMemo, useState } from 'react';

import { ApiProblem } from '../api/api-problem.js';
import { Chart } from '../components/chart.js';
import { EmptyState } from '../components/empty-state.js';
import { ErrorPanel } from '../components/error-panel.js';
import { useMe } from '../session/session-store.js';
import {
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
  troubleOf,
} from './over-time.js';
import styles from './time-charts.module.css';
import type { Stats } from './trouble.js';
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

interface PartProps {
  readonly series: Series;
  readonly step: string;
}

function LatencyChart({ series, step }: PartProps): ReactNode {
  const latency = useMemo(() => latencyOf(series), [series]);
  return isUnknown(latency) ? (
    <p className={styles.nothing}>No call to the partner is known of in this time.</p>
  ) : (
    <Chart label={`Partner answers in (ms), ${step}`} {...latency} heightPx={140} />
  );
}

function LagCharts({ series, now }: { readonly series: Series; readonly now: Stats }): ReactNode {
  const { records, age } = useMemo(() => lagOf(series, now), [series, now]);
  return isUnknown(records) ? (
    <p className={styles.nothing}>How far Kafka was ahead in this time is not known.</p>
  ) : (
    <>
      <Chart label="Consumer lag (records)" {...records} heightPx={140} />
      <Chart label="Consumer lag (age in s)" {...age} heightPx={140} />
    </>
  );
}

function Drawn({ series, stats, program }: Omit<TimeChartsProps, 'range'> & { readonly series: Series }): ReactNode {
  const isWhole = useMe().limitedTo === null && program === undefined;
  const now = useCalm(stats);
  const nowMs = Date.parse(now.at);
  const finished = useMemo(() => finishedOf(series, nowMs), [series, nowMs]);
  const flow = useMemo(() => flowOf(finished), [finished]);
  const trouble = useMemo(() => troubleOf(finished), [finished]);
  const stood = useMemo(() => stoodOf(finished, now, program), [finished, now, program]);
  const step = stepText(series.stepSeconds);
  return (
    <div className={styles.charts}>
      <Chart label={`Recorded and delivered, ${step}`} {...flow} />
      <Chart label="How many stood so" {...stood} />
      {isBlank(trouble) ? (
        <p className={styles.nothing}>Nothing was parked, unknown, cancelled or set aside in this time.</p>
      ) : (
        <Chart label={`Went wrong, ${step}`} {...trouble} heightPx={140} />
      )}
      <LatencyChart series={finished} step={step} />
      {isWhole ? <LagCharts series={finished} now={now} /> : null}
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
