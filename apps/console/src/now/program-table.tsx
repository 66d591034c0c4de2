import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { Money } from '../components/money.js';
import { durationText } from '../components/time-words.js';
import { byProgram } from './figures.js';
import styles from './now-table.module.css';
import { countText, type Stats } from './trouble.js';

const breakerWords: Readonly<Record<Stats['partner'][number]['breaker'], string>> = {
  closed: 'closed',
  trying: 'tries one call',
  probing: 'asks whether it is back',
  open: 'open: it rests',
};

interface CountProps {
  readonly count: number;
  readonly status: string;
  readonly program: string;
}

/** A count that leads to what it counts. */
function Count({ count, status, program }: CountProps): ReactNode {
  if (count === 0) return <span className={styles.zero}>0</span>;
  const to = status === 'parked' || status === 'unknown' ? '/failures' : '/intents';
  return (
    <Link to={to} search={{ status, program }} aria-label={`${countText(count)} ${status} of ${program}`}>
      {countText(count)}
    </Link>
  );
}

type Figures = ReturnType<typeof byProgram>[number];

function Row({ program, pending, waiting, unknown, parked, ...more }: Figures): ReactNode {
  const { deliveredPerMinute, oldest, atRisk, partner } = more;
  const isResting = partner !== null && partner.breaker !== 'closed';
  return (
    <tr>
      <th scope="row">
        {program}
        {isResting ? <span className={styles.resting}>Breaker {breakerWords[partner.breaker]}</span> : null}
      </th>
      <td className={styles.minor}>{deliveredPerMinute ?? '–'}</td>
      <td>
        <Count count={pending} status="pending" program={program} />
      </td>
      <td className={styles.minor}>
        <Count count={waiting} status="waiting" program={program} />
      </td>
      <td>
        <Count count={unknown} status="unknown" program={program} />
      </td>
      <td>
        <Count count={parked} status="parked" program={program} />
      </td>
      <td className={styles.minor}>{oldest === null ? '–' : durationText(oldest.seconds * 1_000)}</td>
      <td className={styles.minor}>
        <Money of={atRisk} />
      </td>
      <td className={styles.minor}>{partner === null ? '–' : countText(partner.limit)}</td>
      <td className={`${styles.words} ${styles.minor}`} data-bad={isResting}>
        {partner === null ? '–' : breakerWords[partner.breaker]}
      </td>
    </tr>
  );
}

/** How each program stands, and its partner as all processes see it together. */
export function ProgramTable({ stats }: { readonly stats: Stats }): ReactNode {
  const programs = byProgram(stats);
  if (programs.length === 0) return null;
  return (
    <section aria-labelledby="by-program">
      <h2 id="by-program" className={styles.title}>
        Programs
      </h2>
      <div className={styles.frame} tabIndex={0} role="group" aria-labelledby="by-program">
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Program</th>
              <th scope="col" className={styles.minor}>
                Settled a minute
              </th>
              <th scope="col">Pending</th>
              <th scope="col" className={styles.minor}>
                Waiting
              </th>
              <th scope="col">Unknown</th>
              <th scope="col">Parked</th>
              <th scope="col" className={styles.minor}>
                Oldest pending
              </th>
              <th scope="col" className={styles.minor}>
                At risk
              </th>
              <th scope="col" className={styles.minor}>
                Calls at once, at most
              </th>
              <th scope="col" className={`${styles.words} ${styles.minor}`}>
                Breaker
              </th>
            </tr>
          </thead>
          <tbody>
            {programs.map((figures) => (
              <Row key={figures.program} {...figures} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
