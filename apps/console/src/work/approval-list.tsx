import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';

import { CopyButton } from '../components/copy-button.js';
import { DeedButton } from '../components/deed-button.js';
import { Facts } from '../components/facts.js';
import { JsonView } from '../components/json-view.js';
import { Panel } from '../components/panel.js';
import { TimeText } from '../components/time-text.js';
import { useMe } from '../session/session-store.js';
import { ApproveDialog, RefuseDialog } from './approval-dialogs.js';
import { approvalAsks, approvalDoes, approvalName, type ApprovalView, targetPage } from './approval-words.js';
import styles from './approvals-screen.module.css';
import { StateBadge } from './state-badge.js';

interface Opened {
  readonly deed: 'approve' | 'refuse';
  readonly approval: ApprovalView;
}

function Target({ approval }: { readonly approval: ApprovalView }): ReactNode {
  const page = targetPage(approval);
  if (page === null) return <code>{approval.target}</code>;
  return (
    <Link to={page.to} params={{ id: page.id }}>
      {approval.target}
    </Link>
  );
}

function Settled({ approval }: { readonly approval: ApprovalView }): ReactNode {
  const { state, settledAt, settledBy, settledReason } = approval;
  if (settledAt === null) return null;
  return (
    <p className={styles.settled}>
      {state} by {settledBy ?? 'nobody'} <TimeText at={settledAt} />
      {settledReason === null ? '' : `: ${settledReason}`}
    </p>
  );
}

interface ApprovalPanelProps {
  readonly approval: ApprovalView;
  readonly titled: string;
  readonly isShownHere: (approval: ApprovalView) => boolean;
  readonly onOpen: (opened: Opened) => void;
}

function Buttons({ approval, onOpen }: Pick<ApprovalPanelProps, 'approval' | 'onOpen'>): ReactNode {
  const me = useMe();
  // The daemon compares issuer and subject where a provider says who somebody is; here only names are known.
  const isOwn = approval.askedBy === me.name;
  return (
    <>
      <DeedButton
        needs="admin"
        obstacle={isOwn ? 'You have asked for it: another admin must approve it.' : null}
        onClick={() => onOpen({ deed: 'approve', approval })}
      >
        Look and approve
      </DeedButton>
      <DeedButton needs="admin" onClick={() => onOpen({ deed: 'refuse', approval })}>
        {isOwn ? 'Withdraw' : 'Refuse'}
      </DeedButton>
    </>
  );
}

function ApprovalPanel({ approval, titled, isShownHere, onOpen }: ApprovalPanelProps): ReactNode {
  const { id, program, state, askedAt, askedBy, reason, until, request, digest } = approval;
  const isHere = isShownHere(approval);
  return (
    <Panel
      title={`${titled}${approvalName(approval)}`}
      about={approvalDoes(approval)}
      actions={
        <>
          <StateBadge state={state} />
          {state === 'proposed' ? <Buttons approval={approval} onOpen={onOpen} /> : null}
        </>
      }
    >
      <Settled approval={approval} />
      <Facts
        items={[
          { name: 'What', value: approvalAsks(approval) },
          { name: 'Asked by', value: askedBy },
          { name: 'Why', value: reason },
          ...(isHere ? [] : [{ name: 'About', value: <Target approval={approval} /> }]),
          ...(isHere || program === null ? [] : [{ name: 'Program', value: program }]),
          { name: 'Asked', value: <TimeText at={askedAt} isLong /> },
          ...(state === 'proposed' ? [{ name: 'Lapses', value: <TimeText at={until} isLong /> }] : []),
        ]}
      />
      <details>
        <summary>Request, digest and id</summary>
        <JsonView value={request} what="the request" />
        <p className={styles.digest}>
          Digest <code>{digest}</code> <CopyButton text={digest} what="the digest" />
        </p>
        <p className={styles.digest}>
          Id <code>{id}</code> <CopyButton text={id} what="the id" />
        </p>
      </details>
    </Panel>
  );
}

interface ApprovalListProps {
  readonly approvals: readonly ApprovalView[];
  /** Where it is shown with something else, whose titles it stands among: what all of these do. */
  readonly titled?: string;
  /** Whether what it is about is what this page shows, and need not be named. */
  readonly isShownHere?: (approval: ApprovalView) => boolean;
}

const isElsewhere = (): boolean => false;

/** Requests for a second person, each with what can be done about it. */
export function ApprovalList({ approvals, titled = '', isShownHere = isElsewhere }: ApprovalListProps): ReactNode {
  const { name } = useMe();
  // Here and not with each: what is looked at stays open when the list has lost it, and then says so.
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = (): void => setOpened(null);
  return (
    <>
      {approvals.map((approval) => (
        <ApprovalPanel
          key={approval.id}
          approval={approval}
          titled={titled}
          isShownHere={isShownHere}
          onOpen={setOpened}
        />
      ))}
      {opened?.deed === 'approve' ? <ApproveDialog approval={opened.approval} onClose={close} /> : null}
      {opened?.deed === 'refuse' ? (
        <RefuseDialog approval={opened.approval} isOwn={opened.approval.askedBy === name} onClose={close} />
      ) : null}
    </>
  );
}
