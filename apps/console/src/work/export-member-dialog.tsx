import { type ReactNode, useState } from 'react';

import { apiPost } from '../api/client.js';
import { ActionDialog, given } from '../components/action-dialog.js';
import { PersonalChoice } from './begin-job.js';
import { newJobId } from './job-id.js';
import { useJobBegun } from './use-job-begun.js';
import styles from './work-form.module.css';

interface ExportMemberProps {
  readonly of: { readonly program: string; readonly memberId: string };
  readonly onClose: () => void;
}

/** What a person may ask for: all that is recorded of them in a program. */
export function ExportMemberDialog({ of: { program, memberId }, onClose }: ExportMemberProps): ReactNode {
  const [id] = useState(newJobId);
  const [includePersonal, setPersonal] = useState(false);
  const onDone = useJobBegun();
  return (
    <ActionDialog
      action={`Export ${memberId}`}
      done="The export has begun."
      effect={{
        words: `All that is recorded of ${memberId} in ${program}: what the shop told, what the partner was sent and answered, a line of JSON each. Other programs are exported by themselves; what is set aside in quarantine stands on the member’s page.`,
        members: 1,
      }}
      undo="It changes nothing. It can be cancelled; lines that somebody has read are theirs."
      reason={includePersonal ? 'needed' : 'optional'}
      isDangerous={includePersonal}
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) =>
        apiPost('/jobs', { body: { kind: 'export', ...{ id, program, memberId, includePersonal }, ...given(reason) } })
      }
    >
      <div className={styles.fields}>
        <PersonalChoice value={includePersonal} onChange={setPersonal} />
      </div>
    </ActionDialog>
  );
}
