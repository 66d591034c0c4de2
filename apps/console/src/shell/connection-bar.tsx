import { type ReactNode } from 'react';

import { type Away, lookNow, useAway } from '../api/connection.js';
import { shownReadAt } from '../api/queries.js';
import { useNowMs } from '../components/time-text.js';
import { listText } from '../components/time-words.js';
import { usePreferences } from './preferences.js';
import styles from './shell.module.css';

/** Read further apart than this, one moment does not stand for all that is shown. */
const togetherMs = 5_000;

function whatText({ why, status, says }: Away): string {
  if (why === 'offline') return 'You are offline';
  if (why === 'silent') return 'The daemon does not answer';
  return `The daemon answers ${status}${says === null ? '' : ` (${says})`}`;
}

function seenText(timeText: (atMs: number) => string): string {
  const read = shownReadAt();
  if (read === null) return 'Nothing of this screen was read.';
  const { fromMs, toMs } = read;
  if (toMs - fromMs <= togetherMs) return `You see ${timeText(fromMs)}.`;
  return `You see what was read from ${timeText(fromMs)} to ${timeText(toMs)}.`;
}

/** Said once for all screens while nothing can be read: why, since when, and how old is what is shown. */
export function ConnectionBar(): ReactNode {
  const away = useAway();
  const { timeZone } = usePreferences();
  const nowMs = useNowMs();
  const timeText = (atMs: number): string => listText(atMs, nowMs, timeZone);
  return (
    <div role="status" className={styles.connection} data-away={away !== null}>
      {away === null ? null : (
        <>
          <p>
            <b>
              {whatText(away)} since {timeText(away.sinceMs)}.
            </b>{' '}
            {seenText(timeText)} It is tried again every few seconds.
          </p>
          <button type="button" onClick={lookNow}>
            Try now
          </button>
        </>
      )}
    </div>
  );
}
