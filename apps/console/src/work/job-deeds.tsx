import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode } from 'react';

import { apiPost } from '../api/client.js';
import { DeedDialog, given } from '../components/deed-dialog.js';
import { type Job, jobKinds, type JobSteering } from './job-kinds.js';

interface SteerDialogProps {
  readonly job: Job;
  readonly steering: JobSteering;
  readonly onClose: () => void;
}

const texts: Readonly<Record<JobSteering, { verb: string; done: string; words: string; undo: string }>> = {
  pause: {
    verb: 'Pause',
    done: 'It is paused.',
    words: 'It stops after the part it works on. What it has done stays done.',
    undo: 'Resume lets it go on where it was.',
  },
  resume: {
    verb: 'Resume',
    done: 'It goes on.',
    words: 'It goes on where it was.',
    undo: 'It can be paused again.',
  },
  cancel: {
    verb: 'Cancel',
    done: 'It is cancelled.',
    words: 'It ends after the part it works on. What it has done stays done.',
    undo: 'A cancelled job cannot be resumed: another one begins from the start.',
  },
};

/** Pauses, resumes or cancels a job. */
export function SteerDialog({ job, steering, onClose }: SteerDialogProps): ReactNode {
  const client = useQueryClient();
  const { kind, id } = job;
  const { name } = jobKinds[kind];
  const { verb, done, words, undo } = texts[steering];
  return (
    <DeedDialog
      deed={`${verb} the ${name.toLowerCase()}`}
      done={done}
      effect={{ words }}
      undo={undo}
      isDangerous={steering === 'cancel'}
      reason="optional"
      onClose={onClose}
      onDone={() => {
        for (const key of ['/jobs', '/jobs/{id}']) void client.invalidateQueries({ queryKey: [key] });
      }}
      perform={async (reason) => apiPost(`/jobs/{id}/${steering}`, { params: { id }, body: given(reason) })}
    />
  );
}
