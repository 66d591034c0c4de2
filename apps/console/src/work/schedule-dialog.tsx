import { type ReactNode, useState } from 'react';

import { apiPost } from '../api/client.js';
import { CopyButton } from '../components/copy-button.js';
import { ActionDialog } from '../components/action-dialog.js';
import { clockChangeFlaw, momentOf } from '../components/time-input.js';
import { TimeText, useNowMs } from '../components/time-text.js';
import { usePreferences } from '../shell/preferences.js';
import { newJobId } from './job-id.js';
import { ProgramField, useProgramChosen } from './program-choice.js';
import { changeFields, readSchedule, selectFields, type Texts } from './schedule-draft.js';
import { useJobBegun } from './use-job-begun.js';
import { TextField } from './work-fields.js';
import styles from './work-form.module.css';

const localTime =
  'loyaltyd schedule --program PROGRAM --tier 2 --local-time 2027-01-01T09:00:00 --time-zone Europe/Berlin --set-points 7 --dry-run --reason "…"';

interface GroupProps {
  readonly legend: string;
  readonly fields: typeof selectFields;
  readonly texts: Texts;
  readonly onChange: (texts: Texts) => void;
}

function Group({ legend, fields, texts, onChange }: GroupProps): ReactNode {
  return (
    <fieldset className={styles.group}>
      <legend>{legend}</legend>
      {fields.map(({ name, label }) => (
        <TextField
          key={name}
          label={label}
          value={texts[name] ?? ''}
          onChange={(text) => onChange({ ...texts, [name]: text })}
        />
      ))}
    </fieldset>
  );
}

/** Counts whose passes a change would be made to, as a dry run; it is scheduled from the dry run's page. */
export function ScheduleDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [id] = useState(newJobId);
  const { program, choose, missing } = useProgramChosen();
  const [when, setWhen] = useState('');
  const [select, setSelect] = useState<Texts>({});
  const [change, setChange] = useState<Texts>({});
  const { timeZone } = usePreferences();
  const onDone = useJobBegun();
  const nowMs = useNowMs();
  const at = momentOf(when, timeZone);
  const read = readSchedule({ at, select, change }, nowMs);
  const flaw = clockChangeFlaw(when, timeZone) ?? (read.kind === 'missing' ? read.why : null);
  return (
    <ActionDialog
      action={program === '' ? 'Count for a schedule' : `Count for a schedule of ${program}`}
      done="The dry run has begun."
      effect={{
        words:
          'It counts the passes that fit now, by the partner’s listing, and shows the very request. Nothing is scheduled by this: that can be done from its page.',
      }}
      undo="Nothing is changed, so there is nothing to undo."
      obstacle={missing ?? flaw}
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) => {
        if (read.kind === 'missing') throw new Error(read.why);
        return apiPost('/jobs', { body: { kind: 'schedule', ...read.schedule, id, program, dryRun: true, reason } });
      }}
    >
      <div className={styles.fields}>
        <ProgramField value={program} onChange={choose} />
        <TextField
          label={timeZone === 'utc' ? 'When, in UTC' : 'When, by this browser’s clock'}
          type="datetime-local"
          value={when}
          onChange={setWhen}
        />
        {at === null ? null : (
          <p className={styles.about}>
            That is <TimeText at={at} isLong mayCome />.
          </p>
        )}
        <Group
          legend="Whose passes: all that you say must fit"
          fields={selectFields}
          texts={select}
          onChange={setSelect}
        />
        <Group
          legend="What they get: where the partner’s dialect says where that goes"
          fields={changeFields}
          texts={change}
          onChange={setChange}
        />
        <p className={styles.about}>
          Tiers and templates are named by the partner’s numbers. What is typed here is kept in the clear: nothing
          personal but a member’s id.
        </p>
        <p className={styles.about}>
          A local time with a zone of its own, or a name for the partner, takes the command line:{' '}
          <code>{localTime}</code> <CopyButton text={localTime} what="the command" />
        </p>
      </div>
    </ActionDialog>
  );
}
