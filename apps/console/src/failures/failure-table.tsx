import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { Money } from '../components/money.js';
import { StatusBadge } from '../components/status-badge.js';
import { TimeText } from '../components/time-text.js';
import type { SearchTexts } from '../shell/search-texts.js';
import { operationName } from '../components/operation-words.js';
import { explain, type FailureGroup, groupId } from './causes.js';
import styles from './failure-table.module.css';
import { Trend } from './trend.js';
import { useHourClock } from './use-hour-clock.js';

const fingerprintChars = 6;

/** Refusals with the same code and other words are groups of their own: their fingerprints tell them apart. */
function factsOf({ program, operation, code, fingerprint }: FailureGroup): string {
  return [
    `${operationName(operation)} of ${program}`,
    ...(code === null ? [] : [code]),
    ...(fingerprint === null ? [] : [`wording ${fingerprint.slice(0, fingerprintChars)}`]),
  ].join(' · ');
}

function Row({ group, nowMs }: { readonly group: FailureGroup; readonly nowMs: number }): ReactNode {
  const { status, intents, members, money, firstAt, lastAt } = group;
  return (
    <tr>
      <th scope="row" className={styles.cause}>
        <Link
          to="/failures"
          search={(before: SearchTexts) => ({ ...before, group: groupId(group) })}
          className={styles.link}
        >
          {explain(group).short}
        </Link>
        <span className={styles.facts}>{factsOf(group)}</span>
      </th>
      <td className={styles.minor}>
        <StatusBadge status={status} />
      </td>
      <td className={styles.end}>{intents.toLocaleString('en')}</td>
      <td className={`${styles.end} ${styles.minor}`}>{members.toLocaleString('en')}</td>
      <td className={`${styles.end} ${styles.minor}`}>
        <Money of={money} />
      </td>
      <td>
        <Trend group={group} nowMs={nowMs} />
      </td>
      <td className={styles.minor}>
        <TimeText at={firstAt} />
      </td>
      <td className={styles.minor}>
        <TimeText at={lastAt} />
      </td>
    </tr>
  );
}

/** Failures by cause, the largest group first. */
export function FailureTable({ groups }: { readonly groups: readonly FailureGroup[] }): ReactNode {
  const nowMs = useHourClock();
  return (
    <div className={styles.frame}>
      <table className={styles.table} aria-label="Failures by cause, the largest first">
        <thead>
          <tr>
            <th scope="col">Cause</th>
            <th scope="col" className={styles.minor}>
              Status
            </th>
            <th scope="col" className={styles.end}>
              Intents
            </th>
            <th scope="col" className={`${styles.end} ${styles.minor}`}>
              Members
            </th>
            <th scope="col" className={`${styles.end} ${styles.minor}`}>
              At stake
            </th>
            <th scope="col">24 hours</th>
            <th scope="col" className={styles.minor}>
              First
            </th>
            <th scope="col" className={styles.minor}>
              Last
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <Row key={groupId(group)} group={group} nowMs={nowMs} />
          ))}
        </tbody>
      </table>
    </div>
  );
}
