import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

import { apiPost } from '../api/client.js';
import { apiQuery } from '../api/queries.js';
import { ActionButton } from '../components/action-button.js';
import { ActionDialog, given } from '../components/action-dialog.js';
import { ErrorPanel } from '../components/error-panel.js';
import { Panel } from '../components/panel.js';
import { PlainTable } from '../components/plain-table.js';
import { TimeText } from '../components/time-text.js';
import { StateBadge } from '../work/state-badge.js';
import { ProgramsFile } from './programs-file.js';
import styles from './programs-panel.module.css';
import { filesInUse, type ProgramsStatus, type ReloadResult, reloadText, shortHash } from './programs-words.js';

const lookMs = 5_000;
type Process = ProgramsStatus['processes'][number];

function Agreement({ status }: { readonly status: ProgramsStatus }): ReactNode {
  const { agree, disagreeingSince } = status;
  if (agree) {
    const [file] = filesInUse(status);
    return (
      <p>
        All processes work by the same programs file: <code title={file?.hash}>{shortHash(file?.hash ?? '')}</code>.
      </p>
    );
  }
  return (
    <p className={styles.disagree}>
      Processes work by different programs files
      {disagreeingSince === null ? '' : ', since '}
      {disagreeingSince === null ? null : <TimeText at={disagreeingSince} />}:{' '}
      {filesInUse(status)
        .map(({ hash, hosts }) => `${shortHash(hash)} on ${hosts.join(', ')}`)
        .join('; ')}
      . During a rollout that is so for a while; else read the file again.
    </p>
  );
}

const stateOf = ({ alive, problem }: Process): string => {
  if (!alive) return 'gone';
  return problem === null ? 'alive' : 'failed';
};

function Processes({ processes }: { readonly processes: readonly Process[] }): ReactNode {
  return (
    <PlainTable
      label="Processes"
      rows={processes}
      rowId={({ id }) => id}
      columns={[
        { id: 'host', header: 'Process', cell: ({ host, answering }) => `${host}${answering ? ' (answers you)' : ''}` },
        { id: 'state', header: 'State', cell: (process) => <StateBadge state={stateOf(process)} /> },
        { id: 'roles', header: 'Roles', isMinor: true, cell: ({ roles }) => roles.join(', ') },
        { id: 'started', header: 'Started', isMinor: true, cell: ({ startedAt }) => <TimeText at={startedAt} /> },
        {
          id: 'file',
          header: 'Programs file',
          cell: ({ hash, since, problem }) => (
            <>
              <code title={hash}>{shortHash(hash)}</code> since <TimeText at={since} />
              {problem === null ? null : <div className={styles.problem}>Not taken over: {problem}</div>}
            </>
          ),
        },
      ]}
    />
  );
}

function ReloadDialog({
  onClose,
  onDone,
}: {
  readonly onClose: () => void;
  readonly onDone: (result: ReloadResult) => void;
}): ReactNode {
  return (
    <ActionDialog
      action="Read the programs file again"
      done={reloadText}
      effect={{
        words:
          'Every process reads its programs file again, dialects included, and takes it over as a whole. A file that fails its checks changes nothing, and every wrong path is named. Recorded intents keep what they were routed to.',
      }}
      undo="To undo it, put the former file in place and read it again."
      reason="optional"
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) => apiPost('/reload', { body: given(reason) })}
    />
  );
}

/** Which programs file each process works by, and what changed. */
export function ProgramsPanel(): ReactNode {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery({ ...apiQuery('/reload', {}), refetchInterval: lookMs });
  const [isOpen, setOpen] = useState(false);
  const [result, setResult] = useState<ReloadResult | null>(null);
  return (
    <Panel
      title="Programs file and processes"
      actions={
        <ActionButton needs="operator" onClick={() => setOpen(true)}>
          Reload the programs file
        </ActionButton>
      }
    >
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : (
        <>
          <Agreement status={data} />
          {result === null ? null : (
            <p>
              {reloadText(result)} It names: {result.programs.join(', ')}.
            </p>
          )}
          <Processes processes={data.processes} />
        </>
      )}
      <ProgramsFile />
      {isOpen ? (
        <ReloadDialog
          onClose={() => setOpen(false)}
          onDone={(answer) => {
            setResult(answer);
            void client.invalidateQueries({ queryKey: ['/reload'] });
            void client.invalidateQueries({ queryKey: ['/programs'] });
            void client.invalidateQueries({ queryKey: ['/dialect'] });
          }}
        />
      ) : null}
    </Panel>
  );
}
