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

interface EraseDialogProps {
  readonly onClose: () => void;
  /** Of whose page one comes; absent: they are named here. */
  readonly of?: { readonly program: string; readonly memberId: string };
}

/** The same id in other programs is other members: an erasure forgets one of them. */
function OtherPrograms({ program, memberId }: { readonly program: string; readonly memberId: string }): ReactNode {
  const { data } = useQuery({
    ...apiQuery('/search', { query: { q: memberId, limit: 50 } }),
    enabled: memberId !== '',
  });
  const others = (data?.groups ?? [])
    .flatMap(({ items }) => items)
    .flatMap((hit) =>
      hit.kind === 'member' && hit.memberId === memberId && hit.program !== program ? [hit.program] : [],
    );
  if (others.length === 0) return null;
  return (
    <p className={styles.warning}>
      The same id is a member of {others.join(', ')} as well. There nothing is erased: ask for each program by itself.
    </p>
  );
}

interface MemberMeant {
  readonly program: string;
  readonly memberId: string;
  /** Undefined: none is named yet, or not read yet. */
  readonly member: Member | undefined;
  readonly error: unknown;
  /** To name them; of whose page one comes, in which other programs the same id is somebody. */
  readonly fields: ReactNode;
}

/** Who is to be erased: whose page one comes from, or who is named here. */
function useMemberMeant(of: EraseDialogProps['of']): MemberMeant {
  const { program: chosen, choose } = useProgramChosen();
  const [typed, setTyped] = useState('');
  const { program, memberId } = of ?? { program: chosen, memberId: typed.trim() };
  const isNamed = program !== '' && memberId !== '';
  const { data, error } = useQuery({
    ...apiQuery('/members/{program}/{memberId}', { params: { program, memberId } }),
    enabled: isNamed,
  });
  const naming = (
    <>
      <ProgramField value={program} onChange={choose} />
      <TextField label="The member’s id" value={typed} onChange={setTyped} />
    </>
  );
  const fields = (
    <>
      {of === undefined ? naming : null}
      {isNamed ? <OtherPrograms program={program} memberId={memberId} /> : null}
    </>
  );
  return { program, memberId, member: isNamed ? data : undefined, error, fields };
}

/** Forgets a person. Whoever does that has typed who it is, and once more where they were named here. */
export function EraseDialog({ onClose, of }: EraseDialogProps): ReactNode {
  const { role } = useMe();
  const [id] = useState(newJobId);
  const { program, memberId, member, error, fields } = useMemberMeant(of);
  const [again, setAgain] = useState('');
  const onDone = useJobBegun();
  const isTyped = again.trim() === memberId;
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
      undo="Nobody can undo this: the key is gone. The partner is not told by it, and keeps what it has: ask there in writing. Backups and Kafka keep theirs until their own time is over."
      isDangerous
      obstacle={
        role === 'admin' ? whyNotErased(member, error, isTyped) : `This takes the role admin; yours is ${role}.`
      }
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) => apiPost('/jobs', { body: { kind: 'erase', id, program, memberId, reason } })}
    >
      <div className={styles.fields}>
        {fields}
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
