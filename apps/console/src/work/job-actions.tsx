import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode } from 'react';

import { apiPost } from '../api/client.js';
import { ActionDialog, type ActionDialogProps, given } from '../components/action-dialog.js';
import { replaySteering } from './replay/replay-steering.js';
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

interface Said extends Pick<ActionDialogProps<Job>, 'action' | 'done' | 'undo' | 'effect'> {
  readonly button: string;
}

/** What steering a job does, in words. */
export function steeringOf(job: Job, steering: JobSteering): Said {
  if (job.kind === 'replay') {
    const { words, waiting, ...said } = replaySteering(job, steering);
    return { ...said, effect: { words, count: { value: waiting, of: steering === 'cancel' ? 'skipped' : 'waiting' } } };
  }
  const { verb, words, ...said } = texts[steering];
  return { ...said, button: verb, action: `${verb} the ${jobKinds[job.kind].name.toLowerCase()}`, effect: { words } };
}

/** Pauses, resumes or cancels a job. */
export function SteerDialog({ job, steering, onClose }: SteerDialogProps): ReactNode {
  const client = useQueryClient();
  const { id } = job;
  const { button: _button, ...said } = steeringOf(job, steering);
  return (
    <ActionDialog
      {...said}
      isDangerous={steering === 'cancel' && job.state !== 'planned'}
      reason="optional"
      onClose={onClose}
      onDone={(steered) => {
        client.setQueryData(['/jobs/{id}', { id }, null], steered);
        void client.invalidateQueries({ queryKey: ['/jobs'] });
      }}
      perform={async (reason) => apiPost(`/jobs/{id}/${steering}`, { params: { id }, body: given(reason) })}
    />
  );
}
