import { type ReactNode } from 'react';

import { DocsLink } from '../components/docs-link.js';
import styles from './checks.module.css';
import { type FirstStep, firstSteps } from './first-steps.js';
import type { DoctorReport, Stats } from './problem.js';

const words: Readonly<Record<FirstStep['state'], string>> = { done: 'Done', wrong: 'Wrong', open: 'Open' };
const looks: Readonly<Record<FirstStep['state'], string>> = { done: 'ok', wrong: 'failed', open: 'skipped' };

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
          <li key={name} className={styles.check}>
            <span className={styles.state} data-state={looks[state]}>
              {words[state]}
            </span>
            <span className={styles.name}>{name}</span>
            <span className={styles.detail}>
              {text}
              <span className={styles.remedy}>
                <DocsLink page={page} />
              </span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
