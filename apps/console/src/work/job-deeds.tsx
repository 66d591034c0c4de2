import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

import { apiPost } from '../api/client.js';
import { DeedDialog } from '../components/deed-dialog.js';
import { followUpOf } from './job-follow-up.js';
import { newJobId } from './job-id.js';
import { type Job, jobKinds, type JobSteering } from './job-kinds.js';
import { useJobBegun } from './use-job-begun.js';

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
  const { path, name } = jobKinds[kind];
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
        for (const key of [path, `${path}/{id}`]) void client.invalidateQueries({ queryKey: [key] });
      }}
      perform={async (reason) =>
        apiPost(`${path}/{id}/${steering}`, { params: { id }, body: reason === '' ? {} : { reason } })
      }
    />
  );
}

const listingFilters = ['updatedSince', 'status', 'tier', 'template'];

function filterOf({ request }: Job): object {
  return Object.fromEntries(Object.entries(request).filter(([name]) => listingFilters.includes(name)));
}

/** Does what a dry run or a look has found. It looks again: what has changed since counts. */
export function FollowUpDialog({ job, onClose }: { readonly job: Job; readonly onClose: () => void }): ReactNode {
  const [id] = useState(newJobId);
  const onDone = useJobBegun();
  const program = job.program ?? '';
  const { proven = 0, missingThere = 0, missingHere = 0 } = job.progress;
  if (followUpOf(job) === 'settle') {
    return (
      <DeedDialog
        deed={`Settle what is proven of ${program}`}
        done="The rereading has begun."
        effect={{
          words:
            'The answers are read once more, and what they prove counts as delivered: shops get the outcome, and blocked lanes go on. The partner is not called.',
          count: { value: proven, of: 'intents, by the dry run' },
        }}
        undo="This cannot be undone: delivered stays delivered. Look at some of the dry run’s lines first; with too weak a proof in the dialect, refusals count as delivered."
        isDangerous
        onClose={onClose}
        onDone={onDone}
        perform={async (reason) => apiPost('/rereadings', { body: { id, program, dryRun: false, reason } })}
      />
    );
  }
  return (
    <DeedDialog
      deed={`Compare again and repair ${program}`}
      done="The reconciliation has begun."
      effect={{
        words: `It compares once more, and mends: passes missing there (${missingThere.toLocaleString('en')}) are issued anew, after live traffic; passes missing here (${missingHere.toLocaleString('en')}) are recorded, as in an adoption. What is unconfirmed stays.`,
        count: { value: missingThere + missingHere, of: 'members, by the look before' },
      }}
      undo="This cannot be undone: an issued pass is issued. A card that was removed at the partner on purpose comes back, unless its member is opted out first."
      isDangerous
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) =>
        apiPost('/reconciliations', { body: { ...filterOf(job), id, program, repair: true, reason } })
      }
    />
  );
}
