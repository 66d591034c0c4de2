import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

import { ApiProblem } from '../api/api-problem.js';
import type { Answer } from '../api/api-types.js';
import { apiPost } from '../api/client.js';
import { apiQuery } from '../api/queries.js';
import { ActionDialog } from '../components/action-dialog.js';
import { useMe } from '../session/session-store.js';
import { newJobId } from './job-id.js';
import { ProgramField, useProgramChosen } from './program-choice.js';
import { useJobBegun } from './use-job-begun.js';
import { TextField } from './work-fields.js';
import styles from './work-form.module.css';

type Member = Answer<'/members/{program}/{memberId}'>;

function whyNotErased(member: Member | undefined, error: unknown, isTyped: boolean): string | null {
  if (error instanceof ApiProblem && error.status === 404) return 'There is no such member.';
  if (member === undefined) return 'Name a program and a member first.';
  if (member.isErased) return 'This member is erased already.';
  return isTyped ? null : 'Type the member’s id a second time.';
}

const words =
  'It destroys the member’s key: nobody can open the intents, requests and answers recorded of them any more. What is queued is cancelled, and their records in the quarantine are emptied.';

/** Forgets a person. Whoever does that has typed twice who it is. */
export function EraseDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { role } = useMe();
  const [id] = useState(newJobId);
  const { program, choose } = useProgramChosen();
  const [memberId, setMemberId] = useState('');
  const [again, setAgain] = useState('');
  const onDone = useJobBegun();
  const isNamed = program !== '' && memberId.trim() !== '';
  const { data, error } = useQuery({
    ...apiQuery('/members/{program}/{memberId}', { params: { program, memberId: memberId.trim() } }),
    enabled: isNamed,
  });
  const member = isNamed ? data : undefined;
  const isTyped = again.trim() === memberId.trim();
  return (
    <ActionDialog
      action={member === undefined ? 'Erase a member for good' : `Erase ${member.memberId} for good`}
      done="The erasure has begun."
      effect={{
        words,
        ...(member === undefined
          ? {}
          : { count: { value: member.lane.queued, of: 'intents queued, to be cancelled' } }),
      }}
      undo="This cannot be undone, by nobody: the key is gone. The partner is not told by it, and keeps what it has: ask there in writing. Backups and Kafka keep theirs until their own time is over."
      isDangerous
      obstacle={
        role === 'admin' ? whyNotErased(member, error, isTyped) : `This takes the role admin; yours is ${role}.`
      }
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) =>
        apiPost('/jobs', { body: { kind: 'erase', id, program, memberId: memberId.trim(), reason } })
      }
    >
      <div className={styles.fields}>
        <ProgramField value={program} onChange={choose} />
        <TextField label="The member’s id" value={memberId} onChange={setMemberId} />
        <TextField
          label="The member’s id, typed once more"
          about="Typed, not pasted: so that this very member is meant."
          value={again}
          onChange={setAgain}
        />
      </div>
    </ActionDialog>
  );
}
