import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';

import { apiQuery } from '../api/queries.js';
import { ErrorPanel } from '../components/error-panel.js';
import { Panel } from '../components/panel.js';
import { TimeText } from '../components/time-text.js';
import { StateBadge } from '../work/state-badge.js';
import { type CheckArea, checkAreas, countText, type DoctorCheck } from './doctor-checks.js';
import styles from './doctor-panel.module.css';

/** A report is the same for 5 s, and costs the partner some calls: nothing asks again by itself. */
const staleMs = 60_000;

function Check({ check: { name, state, detail, remedy } }: { readonly check: DoctorCheck }): ReactNode {
  return (
    <li className={styles.check}>
      <span>
        <StateBadge state={state} />
      </span>
      <code>{name}</code>
      <span className={styles.detail}>{detail}</span>
      {remedy === null ? null : <span className={styles.remedy}>{remedy}</span>}
    </li>
  );
}

function Area({ area: { name, checks } }: { readonly area: CheckArea }): ReactNode {
  const isWell = checks.every(({ state }) => state === 'ok' || state === 'skipped');
  const list = (
    <ul className={styles.checks}>
      {checks.map((check) => (
        <Check key={check.name} check={check} />
      ))}
    </ul>
  );
  return (
    <details open={!isWell}>
      <summary>
        <h3 className={styles.name}>{name}</h3> <span className={styles.count}>{countText(checks)}</span>
      </summary>
      {list}
    </details>
  );
}

/** What this process depends on, checked now; what is wrong comes first, with its remedy. */
export function DoctorPanel(): ReactNode {
  const { data, error, isFetching, refetch } = useQuery({
    ...apiQuery('/doctor', {}),
    staleTime: staleMs,
    refetchOnWindowFocus: false,
  });
  return (
    <Panel
      title="Doctor"
      about={
        data === undefined ? (
          'Checks take up to 15 s. They change nothing.'
        ) : (
          <>
            {countText(data.checks)}. Checked <TimeText at={data.checkedAt} />, in{' '}
            {data.durationMs.toLocaleString('en')} ms, by the process that answered.
          </>
        )
      }
      actions={
        <button type="button" disabled={isFetching} onClick={() => void refetch()}>
          {isFetching ? 'Checking' : 'Reload'}
        </button>
      }
    >
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {checkAreas(data?.checks ?? []).map((area) => (
        <Area key={area.name} area={area} />
      ))}
    </Panel>
  );
}
