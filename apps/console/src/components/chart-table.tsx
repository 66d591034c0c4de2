import { type ReactNode, useState } from 'react';

import { usePreferences } from '../shell/preferences.js';
import type { ChartLine } from './chart-line.js';
import styles from './chart.module.css';
import { absoluteText } from './time-words.js';

interface ChartTableProps {
  readonly label: string;
  readonly times: readonly string[];
  readonly lines: readonly ChartLine[];
}

function Numbers({ label, times, lines }: ChartTableProps): ReactNode {
  const { timeZone } = usePreferences();
  return (
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={label}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">From</th>
            {lines.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((at, index) => (
            <tr key={at}>
              <th scope="row">{absoluteText(Date.parse(at), timeZone)}</th>
              {lines.map(({ name, values }) => (
                <td key={name}>{values[index]?.toLocaleString('en') ?? 'not known'}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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
