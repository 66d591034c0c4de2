import { type ReactNode } from 'react';

import { MaskedValue } from '../components/masked-value.js';
import { type PlainColumn, PlainTable } from '../components/plain-table.js';
import { TimeText } from '../components/time-text.js';
import styles from './member.module.css';
import { answerText, type PartnerView, type PassRow, passRows } from './pass-comparison.js';

const marks: Readonly<Record<PassRow['mark'], string>> = {
  differs: 'differs',
  open: 'still to be sent',
  'one-side': '',
  same: 'same',
};

function Value({ text }: { readonly text: string | null }): ReactNode {
  return text === null ? <span className={styles.about}>–</span> : <MaskedValue text={text} />;
}

const markOf = ({ mark }: PassRow): string => mark;

const columns: readonly PlainColumn<PassRow>[] = [
  { id: 'value', header: 'Value', className: styles.compared, state: markOf, cell: ({ path }) => path },
  ...(['ours', 'partner'] as const).map((side): PlainColumn<PassRow> => ({
    ...{ id: side, header: side === 'ours' ? 'Ours' : 'Partner', className: styles.compared, state: markOf },
    cell: (row) => <Value text={row[side]} />,
  })),
  {
    ...{ id: 'mark', className: `${styles.compared} ${styles.mark}`, state: markOf },
    header: <span className="unseen">Difference</span>,
    cell: ({ mark }) => marks[mark],
  },
];

/** Our view of the pass, and the partner's answer of just now. */
export function PartnerComparison({ view }: { readonly view: PartnerView }): ReactNode {
  const rows = passRows(view);
  const { partner, at } = view;
  return (
    <>
      <p
        role="status"
        className={styles.answer}
        data-differs={view.differences.length > 0 || partner.result !== 'found'}
      >
        {answerText(view)}{' '}
        <span className={styles.about}>
          Asked <TimeText at={at} />, answered in {Math.round(partner.durationMs).toLocaleString('en')} ms.
        </span>
      </p>
      {rows.length === 0 ? null : (
        <PlainTable
          label="Ours and the partner’s pass"
          className={styles.comparison}
          columns={columns}
          rows={rows}
          rowId={({ path }) => path}
        />
      )}
    </>
  );
}
