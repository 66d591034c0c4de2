import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode } from 'react';

import { ErrorPanel } from '../components/error-panel.js';
import { TimeText } from '../components/time-text.js';
import { useSearchTexts } from '../shell/use-search-texts.js';
import { checkAreas, type DoctorCheck } from './check-areas.js';
import styles from './checks.module.css';
import { countOf, type DoctorReport } from './problem.js';
import { StateLine } from './state-line.js';

const stateWords: Readonly<Record<DoctorCheck['state'], string>> = {
  failed: 'Failed',
  warning: 'Warning',
  skipped: 'Skipped',
  ok: 'Good',
};

function summaryOf(checks: readonly DoctorCheck[]): string {
  const [failed, warnings] = (['failed', 'warning'] as const).map(
    (state) => checks.filter((check) => check.state === state).length,
  );
  const parts = [...(failed ? [`${failed} failed`] : []), ...(warnings ? [countOf(warnings, 'warning')] : [])];
  return `${countOf(checks.length, 'check')}, ${parts.length === 0 ? 'all good' : parts.join(', ')}`;
}

/** What the daemon found when it examined all that it depends on. */
export function Checks({ examination }: { readonly examination: UseQueryResult<DoctorReport> }): ReactNode {
  const { data, error, isFetching, refetch } = examination;
  const [{ checks }, change] = useSearchTexts();
  return (
    <section aria-labelledby="checks">
      <div className={styles.head}>
        <h2 id="checks">Checks</h2>
        <p className={styles.when} role="status">
          {isFetching ? (
            'Examining: this may take 15 seconds'
          ) : data === undefined ? null : (
            <>
              Examined <TimeText at={data.checkedAt} />
            </>
          )}
        </p>
        <button
          type="button"
          aria-disabled={isFetching}
          title="Asks Kafka, Postgres and the partner: one token, and two readings of each program"
          onClick={() => (isFetching ? undefined : void refetch())}
        >
          Reload
        </button>
      </div>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : (
        <details
          className={styles.list}
          open={checks === 'open'}
          onToggle={(event) => {
            if (event.currentTarget.open !== (checks === 'open')) {
              change({ checks: event.currentTarget.open ? 'open' : null });
            }
          }}
        >
          <summary className={styles.summary}>{summaryOf(data.checks)}</summary>
          {checkAreas(data.checks).map((area) => (
            <section key={area.name} aria-label={area.name}>
              <h3 className={styles.area}>{area.name}</h3>
              <ul>
                {area.checks.map((check) => (
                  <StateLine
                    key={check.name}
                    {...check}
                    word={stateWords[check.state]}
                    name={<code>{check.name}</code>}
                  />
                ))}
              </ul>
            </section>
          ))}
        </details>
      )}
    </section>
  );
}
