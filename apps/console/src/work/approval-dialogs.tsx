import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode } from 'react';

import { apiPost } from '../api/client.js';
import { DeedDialog, given } from '../components/deed-dialog.js';
import { JsonView } from '../components/json-view.js';
import { approvalDoes, approvalName, type ApprovalView } from './approval-words.js';
import styles from './approvals-screen.module.css';

interface ApprovalDialogProps {
  readonly approval: ApprovalView;
  readonly onClose: () => void;
}

/** Shown anew: that it is settled, and what came of it where that is shown beside it. */
const changed = ['/approvals', '/intents/{id}', '/members/{program}/{memberId}', '/replays/{id}'];

function useAfterwards(): () => void {
  const client = useQueryClient();
  return () => {
    for (const path of changed) void client.invalidateQueries({ queryKey: [path] });
  };
}

/** Has it done. What is sent back is the digest of what is shown: nothing else can be approved by it. */
export function ApproveDialog({ approval, onClose }: ApprovalDialogProps): ReactNode {
  const onDone = useAfterwards();
  const { id, digest, target, askedBy, reason: asked, request } = approval;
  return (
    <DeedDialog
      deed={`Approve: ${approvalName(approval).toLowerCase()}`}
      done="It is approved, and done."
      effect={{
        words: (
          <>
            {approvalDoes(approval)} {askedBy} asked for it: “{asked}”. It is about <code>{target}</code>.
          </>
        ),
      }}
      undo="It is done at once, in the name of who asked, with your name beside it. An approval cannot be taken back."
      isDangerous
      reason="optional"
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) =>
        apiPost('/approvals/{id}/approve', {
          params: { id },
          body: { digest, ...given(reason) },
        })
      }
    >
      <JsonView value={request} what="the request" />
      <p className={styles.digest}>
        Digest of what you approve: <code>{digest}</code>
      </p>
    </DeedDialog>
  );
}

interface RefuseDialogProps extends ApprovalDialogProps {
  readonly isOwn: boolean;
}

/** Nothing is done then. */
export function RefuseDialog({ approval, isOwn, onClose }: RefuseDialogProps): ReactNode {
  const onDone = useAfterwards();
  const { id, askedBy, reason: asked } = approval;
  const verb = isOwn ? 'Withdraw' : 'Refuse';
  return (
    <DeedDialog
      deed={`${verb}: ${approvalName(approval).toLowerCase()}`}
      done={isOwn ? 'It is withdrawn.' : 'It is refused.'}
      effect={{ words: `Nothing is done. ${askedBy} asked for it: “${asked}”.` }}
      undo="It cannot be approved afterwards; it can be asked for again."
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) => apiPost('/approvals/{id}/refuse', { params: { id }, body: { reason } })}
    />
  );
}
