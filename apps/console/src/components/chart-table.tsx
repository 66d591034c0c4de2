import { type ReactNode, useState } from 'react';

import { usePreferences } from '../shell/preferences.js';
import type { ChartLine } from './chart-line.js';
import styles from './chart.module.css';
import { type PlainColumn, PlainTable } from './plain-table.js';
import { absoluteText } from './time-words.js';

interface ChartTableProps {
  readonly label: string;
  readonly times: readonly string[];
  readonly lines: readonly ChartLine[];
}

interface Moment {
  readonly at: string;
  readonly index: number;
}

function Numbers({ label, times, lines }: ChartTableProps): ReactNode {
  const { timeZone } = usePreferences();
  const columns: readonly PlainColumn<Moment>[] = [
    { id: 'from', header: 'From', className: styles.from, cell: ({ at }) => absoluteText(Date.parse(at), timeZone) },
    ...lines.map(({ name, values }): PlainColumn<Moment> => ({
      id: name,
      header: name,
      align: 'end',
      cell: ({ index }) => values[index]?.toLocaleString('en') ?? 'not known',
    })),
  ];
  return (
    <PlainTable
      label={label}
      className={styles.numbers}
      columns={columns}
      rows={times.map((at, index) => ({ at, index }))}
      rowId={({ at }) => at}
    />
  );
}

/** What a chart draws, as numbers; made only where somebody wants them. */
export function ChartTable(props: ChartTableProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={styles.summary}>
        As numbers<span className="unseen">: {props.label}</span>
      </summary>
      {isOpen ? <Numbers {...props} /> : null}
    </details>
  );
}
