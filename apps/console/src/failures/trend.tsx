import { type ReactNode } from 'react';

import { arrivalsByHour, type FailureGroup } from './causes.js';
import styles from './trend.module.css';

interface TrendProps {
  readonly group: Pick<FailureGroup, 'hours' | 'status'>;
  readonly nowMs: number;
  /** As wide as there is room, with its scale. */
  readonly isLarge?: boolean;
}

const barPx = 4;
const gapPx = 1;
const heightPx = 20;
/** What came at all is seen. */
const barHeightMin = 2;

/** How many came in each of the last 24 hours. */
export function Trend({ group, nowMs, isLarge = false }: TrendProps): ReactNode {
  const counts = arrivalsByHour(group, nowMs);
  const most = Math.max(1, ...counts);
  const sum = counts.reduce((total, count) => total + count, 0);
  const words = `${sum.toLocaleString('en')} in 24 h, ${(counts.at(-1) ?? 0).toLocaleString('en')} in the hour that runs`;
  const width = counts.length * barPx;
  return (
    <span className={styles.trend} data-status={group.status} data-large={isLarge}>
      <svg
        role="img"
        aria-label={words}
        className={styles.bars}
        viewBox={`0 0 ${width} ${heightPx}`}
        preserveAspectRatio="none"
      >
        <title>{words}</title>
        <rect className={styles.ground} x={0} y={heightPx - 1} width={width} height={1} />
        {counts.map((count, hour) => {
          const height = count === 0 ? 0 : Math.max(barHeightMin, (count / most) * heightPx);
          return <rect key={hour} x={hour * barPx} y={heightPx - height} width={barPx - gapPx} height={height} />;
        })}
      </svg>
      {isLarge ? (
        <span className={styles.scale} aria-hidden="true">
          <span>24 h ago</span>
          <span>up to {most.toLocaleString('en')} an hour</span>
          <span>now</span>
        </span>
      ) : null}
    </span>
  );
}
