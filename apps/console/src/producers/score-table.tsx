import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

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

interface HeadProps {
  readonly name: string;
  readonly title?: string;
  readonly isSorted: boolean;
  readonly onSort: () => void;
}

function SortedHead({ name, title, isSorted, onSort }: HeadProps): ReactNode {
  return (
    <th scope="col" aria-sort={isSorted ? 'descending' : 'none'} className={styles.figure}>
      <button type="button" data-kind="plain" className={styles.sort} title={title} onClick={onSort}>
        {name}
        {isSorted ? <span aria-hidden="true"> ↓</span> : null}
      </button>
    </th>
  );
}

interface CellProps {
  readonly producer: Producer;
  readonly trouble: Trouble;
  readonly range: Readonly<Record<string, string>>;
}

function TroubleCell({ producer, trouble, range }: CellProps): ReactNode {
  const value = producer[trouble];
  const aside = asideOf(producer, trouble);
  const text = value.toLocaleString('en');
  return (
    <td className={styles.figure} data-marked={isMarked(producer, trouble)}>
      {value > 0 && aside !== null ? (
        <Link
          to="/quarantine"
          search={{ ...aside, ...range }}
          title="Its records of this time in the quarantine that nobody has dealt with"
        >
          {text}
        </Link>
      ) : (
        text
      )}{' '}
      <span className={styles.rate}>{rateText(rateOf(producer, trouble))}</span>
    </td>
  );
}

/** Stands beneath the source where there is no room for columns. */
const placeOf = ({ store, program = null }: Producer): string =>
  [store, program].filter((name) => name !== null).join(', ');

interface ScoreTableProps {
  readonly producers: readonly Producer[];
  readonly order: ScoreOrder;
  readonly range: Readonly<Record<string, string>>;
  readonly onOrder: (order: ScoreOrder) => void;
}

/** Each source and store with what is wrong with what it sends. */
export function ScoreTable({ producers, order, range, onOrder }: ScoreTableProps): ReactNode {
  return (
    <div className={styles.scroll} tabIndex={0} role="region" aria-label="Scorecard">
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Source</th>
            <th scope="col" className={styles.minor}>
              Store
            </th>
            <th scope="col" className={styles.minor}>
              Program
            </th>
            <SortedHead name="Sent" isSorted={order === 'events'} onSort={() => onOrder('events')} />
            {troubles.map(({ trouble, name, means }) => (
              <SortedHead
                key={trouble}
                name={name}
                title={means}
                isSorted={order === trouble}
                onSort={() => onOrder(trouble)}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {producers.map((producer, index) => (
            <tr key={index}>
              <th scope="row" className={styles.source}>
                {producerName(producer)}
                <span className={styles.beneath}>{placeOf(producer)}</span>
              </th>
              <td className={styles.minor}>{producer.store ?? '–'}</td>
              <td className={styles.minor}>{producer.program ?? '–'}</td>
              <td className={styles.figure}>{sentBy(producer).toLocaleString('en')}</td>
              {troubles.map(({ trouble }) => (
                <TroubleCell key={trouble} producer={producer} trouble={trouble} range={range} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
