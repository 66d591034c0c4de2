import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

import type { Answer } from '../api/api-types.js';
import { apiDelete, apiPost } from '../api/client.js';
import { apiQuery } from '../api/queries.js';
import { DeedDialog } from '../components/deed-dialog.js';
import { type Operation, operationFullName, operations } from '../components/operation-words.js';
import { heldCount, type Pause, type PauseScope, scopeText, stillPausedBy } from './pause-words.js';
import { ProgramField, useProgramChosen } from './program-choice.js';
import { Field } from './work-fields.js';
import styles from './work-form.module.css';

/** What is left out means all: for people as for the API. */
const named = ({ program, operation }: PauseScope): object => ({
  ...(program === null ? {} : { program }),
  ...(operation === null ? {} : { operation }),
});

function useAfterwards(): () => void {
  const client = useQueryClient();
  return () => {
    for (const path of ['/pauses', '/stats']) void client.invalidateQueries({ queryKey: [path] });
  };
}

function useHeld(scope: PauseScope): { readonly count?: { readonly value: number; readonly of: string } } {
  const { data } = useQuery(apiQuery('/stats', {}));
  return data === undefined ? {} : { count: { value: heldCount(data, scope), of: 'intents ready to be sent' } };
}

const everyProgram = 'Every program';

/** Stops a program, an operation, or everything. */
export function PauseDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { program, choose, missing } = useProgramChosen({ mayBeEvery: true });
  const [operation, setOperation] = useState<Operation | ''>('');
  const onDone = useAfterwards();
  const scope = { program: program === '' ? null : program, operation: operation === '' ? null : operation };
  const held = useHeld(scope);
  const isEverything = scope.program === null && scope.operation === null;
  return (
    <DeedDialog
      deed={missing === null ? `Pause ${scopeText(scope)}` : 'Pause'}
      done={({ isNew }: Answer<'/pauses', 'post'>) =>
        isNew ? `Paused: ${scopeText(scope)}.` : `Paused already: ${scopeText(scope)}. That pause stays as it is.`
      }
      effect={{
        words:
          'Within a second no process begins anything new of it; calls under way end. Events go on being recorded, and no tries are used up.',
        ...held,
      }}
      undo="Resume undoes it within a second: all goes on in its order."
      isDangerous={isEverything}
      obstacle={missing}
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) => apiPost('/pauses', { body: { ...named(scope), reason } })}
    >
      <div className={styles.fields}>
        <ProgramField value={program} every={everyProgram} onChange={choose} />
        <Field label="Operation">
          {(id) => (
            <select id={id} value={operation} onChange={(event) => setOperation(event.target.value as Operation | '')}>
              <option value="">Every operation</option>
              {operations.map((one) => (
                <option key={one} value={one}>
                  {operationFullName(one)}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
    </DeedDialog>
  );
}

interface ResumeDialogProps {
  readonly pause: Pause;
  readonly pauses: readonly Pause[];
  readonly onClose: () => void;
}

/** Lets it go on. */
export function ResumeDialog({ pause, pauses, onClose }: ResumeDialogProps): ReactNode {
  const onDone = useAfterwards();
  const held = useHeld(pause);
  const others = stillPausedBy(pauses, pause);
  return (
    <DeedDialog
      deed={`Resume ${scopeText(pause)}`}
      done={`${scopeText(pause)} goes on.`}
      effect={{ words: 'Within a second all that waits is sent again, within the limits of the program.', ...held }}
      undo="It can be paused again at any time; what was sent meanwhile stays sent."
      reason="optional"
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) =>
        apiDelete('/pauses', { body: { ...named(pause), ...(reason === '' ? {} : { reason }) } })
      }
    >
      {pause.automatic ? (
        <p className={styles.warning}>
          Delivery paused this by itself: the partner refused everybody, or answered what proves nothing. Mend the
          programs file or the partner first, else it is paused again after some more failures. It said: {pause.reason}
        </p>
      ) : null}
      {others.length === 0 ? null : (
        <p>Some of it stays paused, by other pauses: {others.map(scopeText).join('; ')}.</p>
      )}
    </DeedDialog>
  );
}
