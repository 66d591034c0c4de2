import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import type { Answer } from '../api/api-types.js';
import { isMasked } from '../components/mask.js';
import { MaskedValue } from '../components/masked-value.js';
import { Panel } from '../components/panel.js';
import { decodeRecord, valueAt } from './record-content.js';
import styles from './record-screen.module.css';
import { brokenRules, detailWords, isOurDefect, refusalWords } from './refusal-words.js';

type RecordDetails = Answer<'/quarantine/{id}'>;

function ThereNow({ event, path }: { readonly event: unknown; readonly path: string }): ReactNode {
  const found = valueAt(event, path);
  const text = found === undefined ? 'nothing' : JSON.stringify(found);
  return (
    <>
      There is: <code>{<MaskedValue text={text} />}</code>
    </>
  );
}

const textAt = (event: unknown, path: string): string | null => {
  const found = valueAt(event, path);
  return typeof found === 'string' && !isMasked(found) ? found : null;
};

/** Where the one that came first is found: the daemon does not say which it was. */
function FirstOne({ event }: { readonly event: unknown }): ReactNode {
  const purchaseId = textAt(event, 'data.purchaseId');
  const [program, memberId] = [textAt(event, 'data.program'), textAt(event, 'data.memberId')];
  return (
    <>
      {purchaseId === null ? null : (
        <p>
          Taken in before:{' '}
          <Link to="/intents" search={{ purchaseId }}>
            intents of purchase {purchaseId}
          </Link>
        </p>
      )}
      {program === null || memberId === null ? null : (
        <p>
          <Link to="/members/$program/$memberId" params={{ program, memberId }}>
            Member {memberId} of {program}
          </Link>
        </p>
      )}
    </>
  );
}

interface RefusalPanelProps {
  readonly refusal: Pick<RecordDetails, 'reason' | 'detail'>;
  /** As far as it may be shown. */
  readonly content: Pick<RecordDetails, 'headers' | 'value'>;
}

/** The rule that refused a record, in plain words, and what helps. */
export function RefusalPanel({ refusal, content }: RefusalPanelProps): ReactNode {
  const { reason, detail } = refusal;
  const { means, helps } = refusalWords(reason);
  const event = decodeRecord(content)?.event;
  return (
    <Panel title={`Refused as ${reason}`}>
      <p>{means}</p>
      <ul className={styles.rules}>
        {brokenRules(detailWords(refusal)).map(({ path, rule }, index) => (
          <li key={index} className={styles.rule}>
            {path === null ? rule : <code>{path}</code>}
            {path === null || rule === '' ? null : `: ${rule}`}
            {path === null || event === undefined ? null : (
              <div className={styles.quiet}>
                <ThereNow event={event} path={path} />
              </div>
            )}
          </li>
        ))}
      </ul>
      {reason === 'conflict' ? <FirstOne event={event} /> : null}
      <p>
        {isOurDefect(detail) ? 'This is a defect of loyaltyd, not of the record: report it, with this detail.' : helps}
      </p>
    </Panel>
  );
}
