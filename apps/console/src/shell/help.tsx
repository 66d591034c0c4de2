import { type ReactNode } from 'react';

import { ModalHead, Modal } from '../components/modal.js';
import { type IntentStatus, StatusBadge } from '../components/status-badge.js';
import styles from './help.module.css';
import { screenGroups } from './screens.js';

const keys: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['Ctrl K', '/'], 'Find an intent, a purchase, a member, a screen'],
  [['?'], 'This help'],
  [['↓', 'j'], 'The next row'],
  [['↑', 'k'], 'The row before'],
  [['Enter'], 'Open the row'],
  [['Esc'], 'Close what is open; nothing is done'],
];

const statuses: readonly (readonly [status: IntentStatus, what: string])[] = [
  ['waiting', 'for something else of its member'],
  ['pending', 'will be sent'],
  ['delivering', 'is being sent'],
  ['unknown', 'was sent; whether it took effect is not known. Look before you send it again'],
  ['delivered', 'the partner has it'],
  ['parked', 'needs a person'],
  ['cancelled', 'will not be sent'],
];

const screens = screenGroups.flatMap((group) => group.screens);

function Keys({ of }: { readonly of: readonly string[] }): ReactNode {
  return of.map((key, index) => (
    <span key={key}>
      {index === 0 ? '' : ' or '}
      <kbd>{key}</kbd>
    </span>
  ));
}

/** What the keys do, and what the words mean. */
export function Help({ onClose }: { readonly onClose: () => void }): ReactNode {
  return (
    <Modal className={styles.dialog} onClose={onClose}>
      <ModalHead>Help</ModalHead>
      <section>
        <h3>Keys</h3>
        <dl className={styles.list}>
          {keys.map(([names, does]) => (
            <div key={does}>
              <dt>
                <Keys of={names} />
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section>
        <h3>
          Screens: <kbd>g</kbd>, then
        </h3>
        <dl className={styles.columns}>
          {screens.map(({ key, title }) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{title}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section>
        <h3>How an intent stands</h3>
        <dl className={styles.list}>
          {statuses.map(([status, what]) => (
            <div key={status}>
              <dt>
                <StatusBadge status={status} />
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </section>
    </Modal>
  );
}
