import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import type { Answer } from '../api/api-types.js';
import { Facts } from '../components/facts.js';
import { Panel } from '../components/panel.js';
import { TimeText } from '../components/time-text.js';
import { ChangesTable } from './changes-table.js';
import styles from './record-screen.module.css';

type RecordDetails = Answer<'/quarantine/{id}'>;

const results = {
  recorded: 'It was taken in.',
  duplicate: 'The same had been taken in already: nothing was done a second time.',
  ignored: 'It was taken in and came to nothing, as it would have in its topic.',
  discarded: 'It was given up. Its bytes are kept.',
} as const;

/** What became of a record, and with which content it was taken in. */
export function OutcomePanel({ record }: { readonly record: RecordDetails }): ReactNode {
  const { settled, corrected } = record;
  if (settled === null) return null;
  const { by, at, why, result, reason, intent } = settled;
  return (
    <Panel title={results[result]}>
      <Facts
        items={[
          { name: 'By', value: by },
          { name: 'When', value: <TimeText at={at} isLong /> },
          { name: 'Why', value: why },
          ...(reason === null ? [] : [{ name: 'Because', value: reason }]),
          ...(intent === null
            ? []
            : [
                {
                  name: 'Intent',
                  value: (
                    <Link to="/intents/$id" params={{ id: intent }}>
                      {intent}
                    </Link>
                  ),
                },
              ]),
        ]}
      />
      {corrected === null ? null : (
        <>
          <h3>Taken in with these changes</h3>
          {corrected.changes.length === 0 ? (
            <p className={styles.quiet}>What was corrected cannot be shown any more, or changed nothing that counts.</p>
          ) : (
            <ChangesTable changes={corrected.changes} label="What was corrected" />
          )}
          {corrected.hasMoreChanges ? <p className={styles.quiet}>More differs than is shown.</p> : null}
        </>
      )}
    </Panel>
  );
}
