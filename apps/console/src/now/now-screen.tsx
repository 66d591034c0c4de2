import { type ReactNode } from 'react';

import { useAway } from '../api/connection.js';
import { ErrorPanel } from '../components/error-panel.js';
import { PageHeader } from '../components/page-header.js';
import { absoluteText } from '../components/time-words.js';
import { useGroups } from '../failures/use-groups.js';
import { useCauses } from '../quarantine/use-causes.js';
import { useMe } from '../session/session-store.js';
import { usePreferences } from '../shell/preferences.js';
import { Checks } from './checks.js';
import { FigureTiles } from './figure-tiles.js';
import { FirstSteps } from './first-steps-section.js';
import { deliveredLately, healthOf } from './health.js';
import { HealthBanner } from './health-banner.js';
import styles from './now-screen.module.css';
import { rangeOf } from './over-time.js';
import { ProcessList } from './process-list.js';
import { ProgramTable } from './program-table.js';
import { TimeSection } from './time-section.js';
import type { Stats } from './problem.js';
import { useExamination, useSeries, useStats } from './use-looked.js';

const dayChars = 10;
const minuteChars = 16;

/** The minute, and the day where it is another one. */
function momentText(at: string, now: string, timeZone: 'local' | 'utc'): string {
  const [moment, today] = [at, now].map((time) => absoluteText(Date.parse(time), timeZone));
  const isToday = moment?.slice(0, dayChars) === today?.slice(0, dayChars);
  return (moment ?? '').slice(isToday ? dayChars + 1 : 0, minuteChars);
}

interface StandingProps {
  readonly stats: Stats;
  /** Why these figures are old; null: they are not. */
  readonly failed: ReactNode;
}

function Standing({ stats, failed }: StandingProps): ReactNode {
  const isWhole = useMe().limitedTo === null;
  const isAway = useAway() !== null;
  const { timeZone } = usePreferences();
  const groups = useGroups();
  const causes = useCauses();
  const examination = useExamination();
  const lastMinutes = useSeries(rangeOf('15m'));
  const doctor = examination.data ?? null;
  const delivered = deliveredLately(stats, lastMinutes.data ?? null);
  const health = healthOf(
    {
      ...{ stats, doctor, isWhole, groups: groups.data?.items ?? [], causes: causes.data?.items },
      timeText: (at) => momentText(at, stats.at, timeZone),
    },
    delivered,
  );
  return (
    <div className={styles.screen}>
      <HealthBanner health={health} isStale={failed !== null || isAway} readAt={stats.at} />
      {failed}
      <FirstSteps stats={stats} doctor={doctor} isWhole={isWhole} />
      {groups.error === null ? null : <ErrorPanel error={groups.error} onRetry={() => void groups.refetch()} />}
      <FigureTiles stats={stats} delivered={delivered} isWhole={isWhole} />
      <TimeSection stats={stats} />
      <ProgramTable stats={stats} />
      {isWhole ? <ProcessList stats={stats} /> : null}
      {isWhole ? <Checks examination={examination} /> : null}
    </div>
  );
}

/** Whether all is well, and what there is to see of it. */
export function NowScreen(): ReactNode {
  const { data: stats, error, refetch } = useStats();
  const failed = error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <PageHeader title="Now" />
      {stats === undefined ? failed : <Standing stats={stats} failed={failed} />}
    </>
  );
}
