import { type ReactNode, useState } from 'react';

import { apiPost } from '../api/client.js';
import { ActionDialog, given } from '../components/action-dialog.js';
import { momentOf } from '../components/time-input.js';
import { usePreferences } from '../shell/preferences.js';
import { useMe } from '../session/session-store.js';
import { EraseDialog } from './erase-dialog.js';
import { newJobId } from './job-id.js';
import type { JobKind, ManyKind } from './job-kinds.js';
import { PassesFields, ProgramField, usePassesChosen, useProgramChosen } from './program-choice.js';
import { ProvisionDialog } from './provision-dialog.js';
import { RereadTopicDialog } from './reread-topic-dialog.js';
import { ScheduleDialog } from './schedule-dialog.js';
import { useJobBegun } from './use-job-begun.js';
import { CheckField, TextField } from './work-fields.js';
import styles from './work-form.module.css';

interface BeginProps {
  readonly onClose: () => void;
}

function BeginReconciliation({ onClose }: BeginProps): ReactNode {
  const [id] = useState(newJobId);
  const passes = usePassesChosen();
  const { program, filter, missing } = passes;
  const onDone = useJobBegun();
  return (
    <ActionDialog
      action={program === '' ? 'Compare passes' : `Compare the passes of ${program}`}
      done="The reconciliation has begun."
      effect={{
        words:
          'It reads the partner’s listing page by page, beside the traffic, and looks up every member of ours that it lacks. It changes nothing: what it finds can be repaired, and whom we do not know taken over, from its page.',
      }}
      undo="It can be paused and cancelled. The partner gets its requests within the program’s limits."
      reason="optional"
      obstacle={missing}
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) =>
        apiPost('/jobs', { body: { kind: 'reconcile', ...filter, ...{ id, repair: false }, ...given(reason) } })
      }
    >
      <PassesFields {...passes} />
    </ActionDialog>
  );
}

function BeginRereading({ onClose }: BeginProps): ReactNode {
  const [id] = useState(newJobId);
  const { program, choose, missing } = useProgramChosen();
  const onDone = useJobBegun();
  return (
    <ActionDialog
      action={program === '' ? 'Reread answers, as a dry run' : `Reread the answers of ${program}, as a dry run`}
      done="The dry run has begun."
      effect={{
        words:
          'It reads the kept answers of intents that are parked in doubt again, by the dialect in force, and says which would count as delivered now. It settles nothing and calls nobody: what it finds can be settled from its page.',
      }}
      undo="Nothing is changed, so there is nothing to undo."
      reason="optional"
      obstacle={missing}
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) =>
        apiPost('/jobs', { body: { kind: 'reread', id, program, dryRun: true, ...given(reason) } })
      }
    >
      <div className={styles.fields}>
        <ProgramField value={program} onChange={choose} />
      </div>
    </ActionDialog>
  );
}

/** Whether an export holds what is personal: an admin's choice. */
export function PersonalChoice({
  value,
  onChange,
}: {
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
}): ReactNode {
  const { role } = useMe();
  if (role !== 'admin') {
    return <p className={styles.about}>Everything personal is masked. An export with it takes the role admin.</p>;
  }
  return (
    <>
      <CheckField label="With everything personal" value={value} onChange={onChange} />
      {value ? (
        <p className={styles.warning}>
          Nothing is masked then: whoever gets the file has persons’ data. The audit keeps every page that is read.
        </p>
      ) : null}
    </>
  );
}

function BeginExport({ onClose }: BeginProps): ReactNode {
  const [id] = useState(newJobId);
  const { program, choose, missing } = useProgramChosen({ mayBeEvery: true });
  const [times, setTimes] = useState({ from: '', to: '' });
  const [includePersonal, setPersonal] = useState(false);
  const { timeZone } = usePreferences();
  const onDone = useJobBegun();
  const from = momentOf(times.from, timeZone);
  const to = momentOf(times.to, timeZone);
  const body = {
    ...{ id, includePersonal },
    ...(program === '' ? {} : { program }),
    ...(from === null ? {} : { from }),
    ...(to === null ? {} : { to }),
  };
  return (
    <ActionDialog
      action={includePersonal ? 'Begin an export with personal data' : 'Begin an export'}
      done="The export has begun."
      effect={{
        words: `It fixes what was recorded ${program === '' ? 'of all programs' : `of ${program}`}${from === null ? '' : ' from then'}${to === null ? ' until now' : ' to then'}, counts the lines and computes their digest. Nothing is copied: lines are read from its page, or by the command line into a file.`,
      }}
      undo="It changes nothing. It can be cancelled; lines that somebody has read are theirs."
      reason={includePersonal ? 'needed' : 'optional'}
      isDangerous={includePersonal}
      obstacle={missing}
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) => apiPost('/jobs', { body: { kind: 'export', ...body, ...given(reason) } })}
    >
      <div className={styles.fields}>
        <ProgramField value={program} every="Every program" onChange={choose} />
        <TextField
          label="Recorded from (optional)"
          type="datetime-local"
          value={times.from}
          onChange={(value) => setTimes({ ...times, from: value })}
        />
        <TextField
          label="Recorded before (optional)"
          type="datetime-local"
          value={times.to}
          onChange={(value) => setTimes({ ...times, to: value })}
        />
        <PersonalChoice value={includePersonal} onChange={setPersonal} />
      </div>
    </ActionDialog>
  );
}

/** What is done to parked intents has a screen of its own to choose them. */
export type KindWithDialog = Exclude<JobKind, 'replay' | ManyKind>;

const dialogs: Readonly<Record<KindWithDialog, (props: BeginProps) => ReactNode>> = {
  reconcile: BeginReconciliation,
  reread: BeginRereading,
  'reread-topic': RereadTopicDialog,
  export: BeginExport,
  schedule: ScheduleDialog,
  provision: ProvisionDialog,
  erase: EraseDialog,
};

/** Begins a job of this kind. */
export function BeginJob({ kind, onClose }: BeginProps & { readonly kind: KindWithDialog }): ReactNode {
  const Dialog = dialogs[kind];
  return <Dialog onClose={onClose} />;
}
