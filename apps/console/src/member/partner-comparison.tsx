import { type ReactNode } from 'react';

import { MaskedValue } from '../components/masked-value.js';
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
        <div className={styles.scroll} tabIndex={0} role="region" aria-label="Ours and the partner’s pass">
          <table className={styles.comparison}>
            <thead>
              <tr>
                <th scope="col">Value</th>
                <th scope="col">Ours</th>
                <th scope="col">Partner</th>
                <th scope="col">
                  <span className="unseen">Difference</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ path, ours, partner: theirs, mark }) => (
                <tr key={path} data-mark={mark}>
                  <th scope="row">{path}</th>
                  <td>
                    <Value text={ours} />
                  </td>
                  <td>
                    <Value text={theirs} />
                  </td>
                  <td className={styles.mark}>{marks[mark]}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
