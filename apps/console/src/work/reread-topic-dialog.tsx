import { type ReactNode, useState } from 'react';

import { apiPost } from '../api/client.js';
import { ActionDialog } from '../components/action-dialog.js';
import { momentOf } from '../components/time-input.js';
import { usePreferences } from '../shell/preferences.js';
import { newJobId } from './job-id.js';
import { useJobBegun } from './use-job-begun.js';
import { TextField } from './work-fields.js';
import styles from './work-form.module.css';

/** Counts what a topic read again would bring; what was missed is recorded from the dry run's page. */
export function RereadTopicDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [id] = useState(newJobId);
  const [topic, setTopic] = useState('');
  const [since, setSince] = useState('');
  const { timeZone } = usePreferences();
  const onDone = useJobBegun();
  const from = momentOf(since, timeZone);
  const obstacle = topic.trim() === '' ? 'Say which topic.' : from === null ? 'Say from when.' : null;
  return (
    <ActionDialog
      action={topic.trim() === '' ? 'Read a topic again, as a dry run' : `Read ${topic.trim()} again, as a dry run`}
      done="The dry run has begun."
      effect={{
        words:
          'It reads what the brokers have got since then once more, up to where ingest is by now, and counts what is known, what was missed and what the map of now makes otherwise. It records nothing: what was missed can be recorded from its page.',
      }}
      undo="Nothing is changed, so there is nothing to undo."
      obstacle={obstacle}
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) =>
        apiPost('/jobs', {
          body: { kind: 'reread-topic', id, topic: topic.trim(), from: from ?? '', dryRun: true, reason },
        })
      }
    >
      <div className={styles.fields}>
        <TextField label="Topic" value={topic} onChange={setTopic} />
        <TextField
          label="What the brokers have got since"
          about="Offsets, and all topics of a source, are for the command line."
          type="datetime-local"
          value={since}
          onChange={setSince}
        />
      </div>
    </ActionDialog>
  );
}
