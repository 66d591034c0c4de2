import 'uplot/dist/uPlot.min.css';

import { type ReactNode, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import uPlot from 'uplot';

import { usePreferences } from '../shell/preferences.js';
import { type ChartLine, lonePoints } from './chart-line.js';
import styles from './chart.module.css';
import { ChartTable } from './chart-table.js';
import { timeEdgePx, timeMarkTexts, timeSpacePx } from './chart-times.js';
import { absoluteText } from './time-words.js';

interface ChartProps {
  /** What it shows, such as `Intents by minute`. */
  readonly label: string;
  /** ISO, the oldest first. */
  readonly times: readonly string[];
  /** The same array while the numbers are the same. */
  readonly lines: readonly ChartLine[];
  readonly heightPx?: number;
}

const heightPxUsual = 180;
const pointPx = 5;
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

/** A line that leads nowhere would not be seen. */
function lonePointsOf({ data }: uPlot, series: number): number[] {
  return lonePoints([...(data[series] ?? [])]);
}

interface Drawing {
  readonly lines: readonly ChartLine[];
  readonly heightPx: number;
  readonly timeZone: 'local' | 'utc';
  readonly onPoint: (index: number | null) => void;
}

function optionsOf(host: HTMLElement, { lines, heightPx, timeZone, onPoint }: Drawing): uPlot.Options {
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
    tzDate: (seconds) =>
      timeZone === 'utc' ? uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC') : new Date(seconds * 1_000),
    padding: [8, timeEdgePx, 0, 0],
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: false } },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    scales: { y: { range: (_chart, _min, max) => [0, Math.max(1, max * 1.1)] } },
    axes: [
      {
        ...axis,
        space: timeSpacePx,
        values: (chart, times) => [
          ...timeMarkTexts(
            times.map((at) => ({ at, px: chart.valToPos(at, 'x') })),
            timeZone,
          ),
        ],
      },
      { ...axis, size: 48 },
    ],
    series: [
      {},
      ...lines.map(({ name, colour: token, isDashed = false }) => ({
        label: name,
        stroke: colour(token),
        width: 1.5,
        points: { show: false, size: pointPx, fill: colour(token), filter: lonePointsOf },
        ...(isDashed ? { dash: [4, 4] } : {}),
      })),
    ],
  };
}

interface LegendProps {
  readonly times: readonly string[];
  readonly lines: readonly ChartLine[];
  /** Which of them is pointed at; null: the last is shown. */
  readonly at: number | null;
}

function Legend({ times, lines, at }: LegendProps): ReactNode {
  const { timeZone } = usePreferences();
  const index = at ?? times.length - 1;
  const time = times[index];
  return (
    <dl className={styles.legend}>
      {lines.map(({ name, colour, values, isDashed }) => (
        <div key={name}>
          <svg className={styles.line} viewBox="0 0 20 2" aria-hidden="true">
            <line x2="20" y1="1" y2="1" strokeWidth="2" stroke={`var(--${colour})`} {...(isDashed ? dashes : {})} />
          </svg>
          <dt>{name}</dt>
          <dd>{values[index]?.toLocaleString('en') ?? '–'}</dd>
        </div>
      ))}
      {time === undefined ? null : (
        <div>
          <dt>at</dt>
          <dd className={styles.at}>{absoluteText(Date.parse(time), timeZone)}</dd>
        </div>
      )}
    </dl>
  );
}

const dashes = { strokeDasharray: '4 4' };

/** Lines over time. The same numbers stand in a table below, for those who cannot see them drawn. */
export function Chart({ label, times, lines, heightPx = heightPxUsual }: ChartProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const { timeZone } = usePreferences();
  const isDark = useIsDark();
  const data = useMemo(
    () => [times.map((time) => Date.parse(time) / 1_000), ...lines.map(({ values }) => values)] as uPlot.AlignedData,
    [times, lines],
  );
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    // Drawn anew for new numbers, every few seconds at most: that takes a millisecond or two.
    const options = optionsOf(element, { lines, heightPx, timeZone, onPoint: setAt });
    const chart = new uPlot(options, data, element);
    const watcher = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: heightPx }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      chart.destroy();
    };
    // `isDark`: a canvas has the colours of when it was drawn.
  }, [data, lines, heightPx, timeZone, isDark]);
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.caption}>{label}</figcaption>
      <div ref={host} className={styles.drawing} aria-hidden="true" />
      <Legend times={times} lines={lines} at={at} />
      <ChartTable label={label} times={times} lines={lines} />
    </figure>
  );
}
