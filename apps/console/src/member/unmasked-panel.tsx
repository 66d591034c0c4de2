import { type ReactNode } from 'react';

import type { Answer } from '../api/api-types.js';
import { JsonView } from '../components/json-view.js';
import styles from './member.module.css';

export type UnmaskedMember = Answer<'/members/{program}/{memberId}/unmask', 'post'>;

interface UnmaskedPanelProps {
  readonly member: UnmaskedMember;
  readonly secondsLeft: number;
  readonly onHide: () => void;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not JSON: shown as it came.
    return text;
  }
}

/** What is personal, for the minute in which it may be seen. */
export function UnmaskedPanel({ member, secondsLeft, onHide }: UnmaskedPanelProps): ReactNode {
  return (
    <section className={styles.unmasked} aria-label="Unmasked">
      <div className={styles.head}>
        <h2>Unmasked: the newest {member.intents.length.toLocaleString('en')} intents</h2>
        <p className={styles.about}>
          Hidden again in <span role="timer">{secondsLeft} s</span>
        </p>
        <button type="button" onClick={onHide}>
          Hide now
        </button>
      </div>
      {member.intents.map(({ id, isErased, command, sourceRecord }, index) => (
        <details key={id} open={index === 0}>
          <summary>{decodeURIComponent(id)}</summary>
          {isErased ? (
            <p>The person was erased: nothing can be opened.</p>
          ) : (
            <JsonView value={command} what="the command" />
          )}
          {sourceRecord === null ? null : <JsonView value={parsed(sourceRecord.value)} what="the source record" />}
        </details>
      ))}
    </section>
  );
}
