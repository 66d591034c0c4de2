import 'uplot/dist/uPlot.min.css';

import { type ReactNode, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import uPlot from 'uplot';

import { usePreferences } from '../shell/preferences.js';
import type { ChartLine } from './chart-line.js';
import styles from './chart.module.css';
import { ChartTable } from './chart-table.js';

interface ChartProps {
  /** What it shows, such as `Intents by minute`. */
  readonly label: string;
  /** ISO, the oldest first. */
  readonly times: readonly string[];
  readonly lines: readonly ChartLine[];
  readonly heightPx?: number;
}

const heightPxUsual = 180;
const darkness = matchMedia('(prefers-color-scheme: dark)');

function useIsDark(): boolean {
  const { theme } = usePreferences();
  const systemIsDark = useSyncExternalStore(
    (listener) => {
      darkness.addEventListener('change', listener);
      return () => darkness.removeEventListener('change', listener);
    },
    () => darkness.matches,
  );
  return theme === 'system' ? systemIsDark : theme === 'dark';
}

/** A canvas knows no variables: what `var(--name)` is now, the browser computes on a passing element. */
function resolveColour(host: HTMLElement, token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${token})`;
  host.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function optionsOf(host: HTMLElement, { lines, heightPx = heightPxUsual }: ChartProps, isUtc: boolean): uPlot.Options {
  const colour = (token: string): string => resolveColour(host, token);
  const { fontFamily } = getComputedStyle(host);
  const axis: uPlot.Axis = {
    stroke: colour('quiet'),
    font: `12px ${fontFamily}`,
    grid: { stroke: colour('hairline'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: host.clientWidth,
    height: heightPx,
    tzDate: (seconds) => (isUtc ? uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC') : new Date(seconds * 1_000)),
    padding: [8, 8, 0, 0],
    cursor: { drag: { x: false, y: false } },
    scales: { y: { range: (_chart, _min, max) => [0, Math.max(1, max * 1.1)] } },
    axes: [axis, { ...axis, size: 48 }],
    series: [
      {},
      ...lines.map(({ name, colour: token, isDashed = false }) => ({
        label: name,
        stroke: colour(token),
        width: 1.5,
        points: { show: false },
        ...(isDashed ? { dash: [4, 4] } : {}),
      })),
    ],
  };
}

/** Lines over time. The same numbers stand in a table below, for those who cannot see them drawn. */
export function Chart(props: ChartProps): ReactNode {
  const { label, times, lines } = props;
  const host = useRef<HTMLDivElement>(null);
  const { timeZone } = usePreferences();
  const isDark = useIsDark();
  const data = useMemo(
    () => [times.map((at) => Date.parse(at) / 1_000), ...lines.map(({ values }) => values)] as uPlot.AlignedData,
    [times, lines],
  );
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const chart = new uPlot(optionsOf(element, props, timeZone === 'utc'), data, element);
    const watcher = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: chart.height }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      chart.destroy();
    };
    // Drawn anew for new numbers, at most every few seconds: that takes a millisecond or two.
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the rest of the properties are in `data`
  }, [data, timeZone, isDark]);
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.caption}>{label}</figcaption>
      <div ref={host} className={styles.drawing} aria-hidden="true" />
      <ChartTable label={label} times={times} lines={lines} />
    </figure>
  );
}
