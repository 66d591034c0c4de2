import { type ReactNode } from 'react';

import { apiUrl } from '../api/client.js';
import { CopyButton } from '../components/copy-button.js';
import { Panel } from '../components/panel.js';
import type { Job } from './job-kinds.js';
import styles from './work-form.module.css';

/** Of a provisioning: calls of which nobody knows what became. Few ever have one: what is said of it is said by the API. */
export function StepsInDoubt({ job }: { readonly job: Job }): ReactNode {
  const { unknown = 0 } = job.progress;
  if (job.kind !== 'provision' || unknown === 0) return null;
  const url = apiUrl('/provisioned/{stepId}/resolve', { params: { stepId: 'STEP' } }).href;
  const headers = `-H "authorization: Bearer $TOKEN" -H 'content-type: application/json'`;
  const command = `curl ${headers} -d '{"as": "created", "reason": "…"}' '${url}'`;
  return (
    <Panel title={`${unknown.toLocaleString('en')} ${unknown === 1 ? 'step' : 'steps'} in doubt`}>
      <p>
        The answer was lost: nobody knows whether the partner has it, and it is not made again before somebody says so.
        Look there, then say <code>created</code> or <code>not-created</code> with the <code>stepId</code> of its line
        below. A wrong <code>not-created</code> makes it twice; a brand attribute also takes the partner’s{' '}
        <code>partnerId</code>.
      </p>
      <p className={styles.command}>
        <code>{command}</code> <CopyButton text={command} what="the command" />
      </p>
    </Panel>
  );
}
