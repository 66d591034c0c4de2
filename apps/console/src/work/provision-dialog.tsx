import { type ReactNode, useState } from 'react';

import { apiPost } from '../api/client.js';
import { ActionDialog, given } from '../components/action-dialog.js';
import { newJobId } from './job-id.js';
import { ProgramField, useProgramChosen } from './program-choice.js';
import { useJobBegun } from './use-job-begun.js';
import styles from './work-form.module.css';

/** Says what the partner lacks of what the programs file declares; it is applied from the plan's page. */
export function ProvisionDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [id] = useState(newJobId);
  const { program, choose, missing } = useProgramChosen({ mayBeEvery: true });
  const onDone = useJobBegun();
  return (
    <ActionDialog
      action={program === '' ? 'Plan the provisioning' : `Plan the provisioning of ${program}`}
      done="The plan is being made."
      effect={{
        words:
          'It compares what the section “provision” of the programs file declares with what we have set up at the partner before, and lists each step with the very request. Nobody is called: what is planned can be applied from its page.',
      }}
      undo="Nothing is changed, so there is nothing to undo."
      reason="optional"
      obstacle={missing}
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) =>
        apiPost('/jobs', {
          body: {
            ...{ kind: 'provision' as const, id, apply: false },
            ...(program === '' ? {} : { program }),
            ...given(reason),
          },
        })
      }
    >
      <div className={styles.fields}>
        <ProgramField value={program} every="All that it declares" onChange={choose} />
      </div>
    </ActionDialog>
  );
}
