import { type ReactNode } from 'react';

import type { Answer } from '../api/api-types.js';
import { Facts } from '../components/facts.js';
import { JsonView } from '../components/json-view.js';
import { Modal, ModalHead } from '../components/modal.js';
import { TimeText } from '../components/time-text.js';
import { entryWords, targetOf } from './action-words.js';
import { AuditTargetLink } from './audit-target.js';
import styles from './entry-dialog.module.css';

export type AuditEntry = Answer<'/audit'>['items'][number];

/** All that the audit keeps of one action. */
export function EntryDialog({
  entry,
  onClose,
}: {
  readonly entry: AuditEntry;
  readonly onClose: () => void;
}): ReactNode {
  const { id, at, actor, role, subject, address, requestId, action, reason, detail } = entry;
  return (
    <Modal className={styles.dialog} onClose={onClose}>
      <ModalHead>
        {actor} {entryWords(entry)}
      </ModalHead>
      <Facts
        items={[
          { name: 'When', value: <TimeText at={at} isLong /> },
          { name: 'Who', value: actor },
          { name: 'Role', value: role ?? 'none: on the machine itself, or the daemon' },
          { name: 'Subject', value: subject ?? 'none: one of OPS_TOKENS, or a job' },
          { name: 'Why', value: reason },
          { name: 'To', value: <AuditTargetLink target={targetOf(entry)} /> },
          { name: 'Action', value: <code>{action}</code> },
          { name: 'Address', value: address ?? 'none' },
          { name: 'Request', value: requestId === null ? 'none' : <code>{requestId}</code> },
          { name: 'Number', value: id },
        ]}
      />
      {detail === null ? null : <JsonView value={detail} what="the detail" />}
    </Modal>
  );
}
