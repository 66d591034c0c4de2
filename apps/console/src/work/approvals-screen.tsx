import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';

import { apiQuery } from '../api/queries.js';
import { onAction } from '../api/stream.js';
import { CopyButton } from '../components/copy-button.js';
import { DeedButton } from '../components/deed-button.js';
import { EmptyState } from '../components/empty-state.js';
import { ErrorPanel } from '../components/error-panel.js';
import { Facts } from '../components/facts.js';
import { JsonView } from '../components/json-view.js';
import { PageHeader } from '../components/page-header.js';
import { Panel } from '../components/panel.js';
import { TimeText } from '../components/time-text.js';
import { useMe } from '../session/session-store.js';
import { ApproveDialog, RefuseDialog } from './approval-dialogs.js';
import { approvalDoes, approvalName, type ApprovalView, byUrgency, targetPage } from './approval-words.js';
import styles from './approvals-screen.module.css';
import { StateBadge } from './state-badge.js';

/** The stream tells it sooner; where a proxy holds that back, this does. */
const lookMs = 10_000;

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
  readonly onOpen: (opened: Opened) => void;
}

function Buttons({ approval, onOpen }: ApprovalPanelProps): ReactNode {
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

function ApprovalPanel({ approval, onOpen }: ApprovalPanelProps): ReactNode {
  const { id, program, state, askedAt, askedBy, reason, until, request, digest } = approval;
  return (
    <Panel
      title={approvalName(approval)}
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
          { name: 'Asked by', value: askedBy },
          { name: 'Why', value: reason },
          { name: 'About', value: <Target approval={approval} /> },
          ...(program === null ? [] : [{ name: 'Program', value: program }]),
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

function NothingWaits(): ReactNode {
  const { twoPersons } = useMe();
  return (
    <EmptyState title="Nothing waits for a second person" isGood>
      {twoPersons
        ? 'Forced replays and resolutions, exports with personal data and many erasures wait here.'
        : 'Two persons are not asked for: OPS_TWO_PERSONS is off.'}
    </EmptyState>
  );
}

/** What waits, or waited, for a second person. */
export function ApprovalsScreen(): ReactNode {
  const { name } = useMe();
  const { data, error, refetch } = useQuery({ ...apiQuery('/approvals', {}), refetchInterval: lookMs });
  const client = useQueryClient();
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = (): void => setOpened(null);
  useEffect(
    () =>
      onAction(({ action }) => {
        if (action.startsWith('approval.')) void client.invalidateQueries({ queryKey: ['/approvals'] });
      }),
    [client],
  );
  const approvals = byUrgency(data?.items ?? []);
  return (
    <>
      <PageHeader
        title="Approvals"
        about="What one person alone does not do here: another admin looks at it, and has it done or refuses it."
      />
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data !== undefined && approvals.length === 0 ? <NothingWaits /> : null}
      {approvals.map((approval) => (
        <ApprovalPanel key={approval.id} approval={approval} onOpen={setOpened} />
      ))}
      {opened?.deed === 'approve' ? <ApproveDialog approval={opened.approval} onClose={close} /> : null}
      {opened?.deed === 'refuse' ? (
        <RefuseDialog approval={opened.approval} isOwn={opened.approval.askedBy === name} onClose={close} />
      ) : null}
    </>
  );
}
