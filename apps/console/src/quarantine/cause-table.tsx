import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { Money } from '../components/money.js';
import { type PlainColumn, PlainTable } from '../components/plain-table.js';
import { TimeText } from '../components/time-text.js';
import styles from '../failures/failure-table.module.css';
import { Trend } from '../failures/trend.js';
import { useHourClock } from '../failures/use-hour-clock.js';
import type { SearchTexts } from '../shell/search-texts.js';
import { useSearchTexts } from '../shell/use-search-texts.js';
import { senderText } from './cause-words.js';
import { manyQueryOf } from './quarantine-filter.js';
import { detailWords } from './refusal-words.js';
import { type QuarantineCause, useCauses } from './use-causes.js';

function Cause({ cause }: { readonly cause: QuarantineCause }): ReactNode {
  const sender = senderText(cause);
  return (
    <>
      <Link
        to="/quarantine"
        search={(before: SearchTexts) => ({ ...before, reason: cause.reason, cause: cause.cause })}
        className={styles.link}
      >
        {detailWords(cause)}
      </Link>
      <span className={styles.facts}>{[cause.reason, ...(sender === null ? [] : [sender])].join(' · ')}</span>
    </>
  );
}

/** Left out earlier than on a phone: the causes need the room. */
const minor = { className: styles.minor } as const;

const hoursOf = ({ hours }: QuarantineCause): Parameters<typeof Trend>[0]['group'] => ({
  status: 'parked',
  hours: hours.map(({ at, records }) => ({ at, intents: records })),
});

const columnsAt = (nowMs: number): readonly PlainColumn<QuarantineCause>[] => [
  { id: 'cause', header: 'Cause', className: styles.cause, cell: (cause) => <Cause cause={cause} /> },
  { id: 'records', header: 'Records', align: 'end', cell: ({ records }) => records.toLocaleString('en') },
  { id: 'stake', header: 'At stake', align: 'end', ...minor, cell: ({ money }) => <Money of={money} /> },
  { id: 'trend', header: '24 hours', cell: (cause) => <Trend group={hoursOf(cause)} nowMs={nowMs} /> },
  { id: 'first', header: 'First', ...minor, cell: ({ firstAt }) => <TimeText at={firstAt} /> },
  { id: 'last', header: 'Last', ...minor, cell: ({ lastAt }) => <TimeText at={lastAt} /> },
];

/** Open records by why they were refused, the most first; nothing once one cause is chosen, for the list is of that. */
export function CauseTable(): ReactNode {
  const [texts] = useSearchTexts();
  const nowMs = useHourClock();
  const { data } = useCauses(manyQueryOf(texts));
  if (texts.cause !== undefined || data === undefined || data.items.length === 0) return null;
  return (
    <PlainTable
      label="Open records by cause, the most first"
      className={styles.causes}
      columns={columnsAt(nowMs)}
      rows={data.items}
      rowId={({ reason, cause }) => `${reason} ${cause}`}
    />
  );
}
