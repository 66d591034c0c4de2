import { type ReactNode, useId } from 'react';

import { isMasked } from '../components/mask.js';
import { MaskedValue } from '../components/masked-value.js';
import type { Change, Correction } from './correction.js';
import styles from './intent-screen.module.css';

/** A mask says of what kind the value is: quoted it would look like a text. */
const shown = (value: unknown): string =>
  typeof value === 'string' && isMasked(value) ? value : JSON.stringify(value);

function Side({ sign, value }: { readonly sign: '-' | '+'; readonly value: unknown }): ReactNode {
  return (
    <div className={styles.side} data-sign={sign}>
      <span className="unseen">{sign === '-' ? 'before' : 'after'}</span>
      <span aria-hidden="true">{sign}</span> <MaskedValue text={shown(value)} />
    </div>
  );
}

function Difference({ change }: { readonly change: Change }): ReactNode {
  const { path, before, after } = change;
  return (
    <li>
      <code>{path}</code>
      {before === undefined ? null : <Side sign="-" value={before} />}
      {after === undefined ? <p className={styles.quiet}>is removed</p> : <Side sign="+" value={after} />}
    </li>
  );
}

/** All of it is in sight where it is no longer than a screen. */
const linesShown = { min: 9, max: 24 };

interface CorrectFieldsProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly correction: Correction;
}

/** The content as JSON to be changed, and what differs, before anything is sent. */
export function CorrectFields({ text, onChange, correction }: CorrectFieldsProps): ReactNode {
  const id = useId();
  return (
    <>
      <div className={styles.editorField}>
        <label htmlFor={id}>What the partner is to be sent</label>
        <textarea
          id={id}
          className={styles.editor}
          rows={Math.min(Math.max(text.split('\n').length, linesShown.min), linesShown.max)}
          spellCheck={false}
          value={text}
          aria-describedby={`${id}-changes`}
          onChange={(event) => onChange(event.target.value)}
        />
        <p className={styles.quiet}>
          What is masked stays as it is unless you write over it. Member, program and operation cannot change.
        </p>
      </div>
      <section id={`${id}-changes`} aria-label="What changes" className={styles.changes}>
        {correction.kind === 'wrong' ? (
          <p className={styles.quiet}>{correction.why}</p>
        ) : (
          <ul>
            {correction.changes.map((change) => (
              <Difference key={change.path} change={change} />
            ))}
          </ul>
        )}
      </section>
    </>
  );
}
