import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { MaskedValue } from '../components/masked-value.js';
import { type PlainColumn, PlainTable } from '../components/plain-table.js';
import { TimeText } from '../components/time-text.js';
import styles from './member.module.css';
import { answerText, isCardAddress, knownRows, type PartnerView, type PassRow, passRows } from './pass-comparison.js';
import { proofText } from './proof-words.js';

const marks: Readonly<Record<PassRow['mark'], string>> = {
  differs: '≠ differs',
  open: 'still to be sent',
  'one-side': '',
  same: '= same',
};

function Value({ row, side }: { readonly row: PassRow; readonly side: 'ours' | 'partner' }): ReactNode {
  const text = row[side];
  if (text === null) return <span className={styles.about}>–</span>;
  if (isCardAddress(row.path)) return <span className={styles.about}>an address, not shown here</span>;
  return <MaskedValue text={text} />;
}

const markOf = ({ mark }: PassRow): string => mark;

const columns: readonly PlainColumn<PassRow>[] = [
  { id: 'value', header: 'Value', className: styles.compared, state: markOf, cell: ({ path }) => path },
  ...(['ours', 'partner'] as const).map((side): PlainColumn<PassRow> => ({
    ...{ id: side, header: side === 'ours' ? 'Ours' : 'Partner', className: styles.compared, state: markOf },
    cell: (row) => <Value row={row} side={side} />,
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

interface NotAskedProps {
  /** As the partner last answered; null: it never did. */
  readonly pass: unknown;
  /** Asks. */
  readonly children: ReactNode;
}

/** Our column, while the partner's is still empty. */
export function NotAskedYet({ pass, children }: NotAskedProps): ReactNode {
  const rows = knownRows(pass);
  return (
    <>
      <p className={styles.notAsked}>
        <span>The partner was not asked on this page. Ask it before you say what became of something in doubt.</span>
        {children}
      </p>
      {rows.length === 0 ? (
        <p className={styles.about}>Nothing is known here of the pass.</p>
      ) : (
        <PlainTable
          label="Our view of the pass, as the partner last answered"
          className={styles.known}
          columns={[
            ...columns.slice(0, 2),
            {
              ...{ id: 'partner', header: 'Partner', className: styles.compared },
              cell: () => <span className={styles.about}>not asked yet</span>,
            },
          ]}
          rows={rows}
          rowId={({ path }) => path}
        />
      )}
    </>
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
