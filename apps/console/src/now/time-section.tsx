import { lazy, type ReactNode, Suspense } from 'react';

import { part } from '../shell/parts.js';
import { useSearchTexts } from '../shell/use-search-texts.js';
import { byProgram } from './figures.js';
import { rangeOf, ranges } from './over-time.js';
import styles from './time-section.module.css';
import type { Stats } from './problem.js';

// What draws is as large as the rest of the screen: it comes after it.
const TimeCharts = lazy(part(async () => import('./time-charts.js').then((file) => ({ default: file.TimeCharts }))));

function ProgramChoice({ programs }: { readonly programs: readonly string[] }): ReactNode {
  const [{ program = '' }, change] = useSearchTexts();
  if (programs.length < 2) return null;
  return (
    <label className={styles.program}>
      <span className="unseen">Program</span>
      <select value={program} onChange={(event) => change({ program: event.target.value })}>
        <option value="">All programs</option>
        {programs.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

/** What happened in the last minutes or hours, at most a day. */
export function TimeSection({ stats }: { readonly stats: Stats }): ReactNode {
  const [{ range: rangeId, program }, change] = useSearchTexts();
  const range = rangeOf(rangeId);
  return (
    <section aria-labelledby="over-time">
      <div className={styles.head}>
        <h2 id="over-time">Over time</h2>
        <div role="group" aria-label="How far back" className={styles.ranges}>
          {ranges.map(({ id, name }) => (
            <button
              key={id}
              type="button"
              className={styles.range}
              aria-pressed={id === range.id}
              onClick={() => change({ range: id })}
            >
              {name}
            </button>
          ))}
        </div>
        <ProgramChoice programs={byProgram(stats).map((figures) => figures.program)} />
      </div>
      <Suspense fallback={<div className={styles.place} />}>
        <TimeCharts stats={stats} range={range} {...(program === undefined ? {} : { program })} />
      </Suspense>
    </section>
  );
}
