import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { type PlainColumn, PlainTable } from '../components/plain-table.js';
import styles from './producers-screen.module.css';
import {
  asideOf,
  isMarked,
  type Producer,
  producerName,
  rateOf,
  rateText,
  type ScoreOrder,
  sentBy,
  type Trouble,
  troubles,
} from './scorecard.js';

interface SortButtonProps {
  readonly name: string;
  readonly title?: string;
  readonly isSorted: boolean;
  readonly onSort: () => void;
}

function SortButton({ name, title, isSorted, onSort }: SortButtonProps): ReactNode {
  return (
    <button type="button" data-kind="plain" className={styles.sort} title={title} onClick={onSort}>
      {name}
      {isSorted ? <span aria-hidden="true"> ↓</span> : null}
    </button>
  );
}

interface TroubleCountProps {
  readonly producer: Producer;
  readonly trouble: Trouble;
  readonly range: Readonly<Record<string, string>>;
}

function TroubleCount({ producer, trouble, range }: TroubleCountProps): ReactNode {
  const value = producer[trouble];
  const aside = asideOf(producer, trouble);
  const text = value.toLocaleString('en');
  return (
    <>
      {value > 0 && aside !== null ? (
        <Link to="/quarantine" search={{ ...aside, ...range }} title="These records in the quarantine">
          {text}
        </Link>
      ) : (
        text
      )}{' '}
      <span className={styles.rate}>{rateText(rateOf(producer, trouble))}</span>
    </>
  );
}

/** Stands beneath the source where there is no room for columns. */
const placeOf = ({ store, program = null }: Producer): string =>
  [store, program].filter((name) => name !== null).join(', ');

const whoColumns: readonly PlainColumn<Producer>[] = [
  {
    id: 'source',
    header: 'Source',
    className: styles.source,
    cell: (producer) => (
      <>
        {producerName(producer)}
        <span className={styles.beneath}>{placeOf(producer)}</span>
      </>
    ),
  },
  { id: 'store', header: 'Store', isMinor: true, cell: ({ store }) => store ?? '–' },
  { id: 'program', header: 'Program', isMinor: true, cell: ({ program }) => program ?? '–' },
];

interface ScoreTableProps {
  readonly producers: readonly Producer[];
  readonly order: ScoreOrder;
  /** The time of what was counted. */
  readonly range: Readonly<Record<string, string>>;
  readonly onOrder: (order: ScoreOrder) => void;
}

/** Each source and store with what is wrong with what it sends. */
export function ScoreTable({ producers, order, range, onOrder }: ScoreTableProps): ReactNode {
  const sortedBy = (
    by: ScoreOrder,
    name: string,
    title?: string,
  ): Pick<PlainColumn<Producer>, 'header' | 'isSorted'> => ({
    isSorted: order === by,
    header: (
      <SortButton
        name={name}
        isSorted={order === by}
        onSort={() => onOrder(by)}
        {...(title === undefined ? {} : { title })}
      />
    ),
  });
  const columns: readonly PlainColumn<Producer>[] = [
    ...whoColumns,
    { id: 'sent', align: 'end', ...sortedBy('events', 'Sent'), cell: (each) => sentBy(each).toLocaleString('en') },
    ...troubles.map(({ trouble, name, means }): PlainColumn<Producer> => ({
      id: trouble,
      align: 'end',
      className: styles.trouble,
      ...sortedBy(trouble, name, means),
      state: (producer) => (isMarked(producer, trouble) ? 'marked' : undefined),
      cell: (producer) => <TroubleCount producer={producer} trouble={trouble} range={range} />,
    })),
  ];
  return (
    <PlainTable
      label="Scorecard"
      className={styles.scores}
      columns={columns}
      rows={producers}
      rowId={(_producer, index) => String(index)}
    />
  );
}
