import { type ReactNode } from 'react';

import type { DoctorCheck } from './check-areas.js';
import styles from './checks.module.css';
import { type FirstStep, firstSteps } from './first-steps.js';
import type { DoctorReport, Stats } from './problem.js';
import { StateLine } from './state-line.js';

const words: Readonly<Record<FirstStep['state'], string>> = { done: 'Done', wrong: 'Wrong', open: 'Open' };
/** Each looks as a check does that stands so. */
const looks: Readonly<Record<FirstStep['state'], DoctorCheck['state']>> = {
  done: 'ok',
  wrong: 'failed',
  open: 'skipped',
};

interface FirstStepsProps {
  readonly stats: Stats;
  readonly doctor: DoctorReport | null;
  /** A token limited to programs is not told of what is around them. */
  readonly isWhole: boolean;
}

/** Of an installation that has delivered nothing yet: what is done, and what is still to be. */
export function FirstSteps({ stats, doctor, isWhole }: FirstStepsProps): ReactNode {
  const steps = isWhole ? firstSteps(stats, doctor) : null;
  if (steps === null) return null;
  return (
    <section aria-labelledby="first-steps">
      <h2 id="first-steps" className={styles.title}>
        First steps
      </h2>
      <ol className={styles.list}>
        {steps.map(({ name, state, text, page }) => (
          <StateLine
            key={name}
            state={looks[state]}
            word={words[state]}
            name={name}
            detail={text}
            remedy={null}
            page={page}
          />
        ))}
      </ol>
    </section>
  );
}
