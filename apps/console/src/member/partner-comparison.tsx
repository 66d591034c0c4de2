import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { MaskedValue } from '../components/masked-value.js';
import { type PlainColumn, PlainTable } from '../components/plain-table.js';
import { TimeText } from '../components/time-text.js';
import styles from './member.module.css';
import { answerText, type PartnerView, type PassRow, passRows } from './pass-comparison.js';
import { proofText } from './proof-words.js';

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

/** What the answer says of each that is in doubt. */
function Doubts({ view }: { readonly view: PartnerView }): ReactNode {
  const doubts = view.ours.open.flatMap(({ intent, proof }) =>
    proof === null ? [] : [{ intent, ...proofText(proof) }],
  );
  if (doubts.length === 0) return null;
  return (
    <ul className={styles.doubts} aria-label="In doubt">
      {doubts.map(({ intent, tone, title, words }) => (
        <li key={intent} className={styles.holdup} data-tone={tone === 'doubt' ? 'waits' : undefined}>
          <p className={styles.holdupTitle}>
            <Link to="/intents/$id" params={{ id: intent }}>
              {decodeURIComponent(intent)}
            </Link>
          </p>
          <p>
            {title}. {words}
          </p>
        </li>
      ))}
    </ul>
  );
}

/** Our view of the pass, and the partner's answer of just now. */
export function PartnerComparison({ view }: { readonly view: PartnerView }): ReactNode {
  const rows = passRows(view);
  const { partner, at } = view;
  return (
    <>
      <p
        role="status"
        className={styles.answer}
        data-differs={view.differences.length + view.ours.open.length > 0 || partner.result !== 'found'}
      >
        {answerText(view)}{' '}
        <span className={styles.about}>
          Asked <TimeText at={at} />, answered in {Math.round(partner.durationMs).toLocaleString('en')} ms.
        </span>
      </p>
      <Doubts view={view} />
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
