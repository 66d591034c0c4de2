import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { Money } from '../components/money.js';
import { type PlainColumn, PlainTable } from '../components/plain-table.js';
import { StatusBadge } from '../components/status-badge.js';
import { TimeText } from '../components/time-text.js';
import type { SearchTexts } from '../shell/search-texts.js';
import { operationName } from '../components/operation-words.js';
import { explain, type FailureGroup, groupId, originText } from './causes.js';
import styles from './failure-table.module.css';
import { Trend } from './trend.js';
import { useHourClock } from './use-hour-clock.js';

const fingerprintChars = 6;

/** Refusals with the same code and other words are groups of their own: where the words are masked, their fingerprints tell them apart. */
function wordsOf({ fingerprint, wording }: FailureGroup): readonly string[] {
  if (fingerprint === null || wording !== null) return [];
  return [`masked wording ${fingerprint.slice(0, fingerprintChars)}`];
}

function factsOf(group: FailureGroup): string {
  const { program, operation, code } = group;
  const origin = originText(group);
  return [
    `${operationName(operation)} of ${program}`,
    ...(code === null ? [] : [code]),
    ...wordsOf(group),
    ...(origin === null ? [] : [origin]),
  ].join(' · ');
}

function Cause({ group }: { readonly group: FailureGroup }): ReactNode {
  return (
    <>
      <Link
        to="/failures"
        search={(before: SearchTexts) => ({ ...before, group: groupId(group) })}
        className={styles.link}
      >
        {explain(group).short}
      </Link>
      {group.wording === null ? null : <q className={styles.wording}>{group.wording}</q>}
      <span className={styles.facts}>{factsOf(group)}</span>
    </>
  );
}

/** Left out earlier than on a phone: the causes need the room. */
const minor = { className: styles.minor } as const;

const columnsAt = (nowMs: number): readonly PlainColumn<FailureGroup>[] => [
  { id: 'cause', header: 'Cause', className: styles.cause, cell: (group) => <Cause group={group} /> },
  { id: 'status', header: 'Status', ...minor, cell: ({ status }) => <StatusBadge status={status} /> },
  { id: 'intents', header: 'Intents', align: 'end', cell: ({ intents }) => intents.toLocaleString('en') },
  { id: 'members', header: 'Members', align: 'end', ...minor, cell: ({ members }) => members.toLocaleString('en') },
  { id: 'stake', header: 'At stake', align: 'end', ...minor, cell: ({ money }) => <Money of={money} /> },
  { id: 'trend', header: '24 hours', cell: (group) => <Trend group={group} nowMs={nowMs} /> },
  { id: 'first', header: 'First', ...minor, cell: ({ firstAt }) => <TimeText at={firstAt} /> },
  { id: 'last', header: 'Last', ...minor, cell: ({ lastAt }) => <TimeText at={lastAt} /> },
];

/** Failures by cause, the largest group first. */
export function FailureTable({ groups }: { readonly groups: readonly FailureGroup[] }): ReactNode {
  const nowMs = useHourClock();
  return (
    <PlainTable
      label="Failures by cause, the largest first"
      className={styles.causes}
      columns={columnsAt(nowMs)}
      rows={groups}
      rowId={groupId}
    />
  );
}
