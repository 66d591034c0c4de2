import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';

import type { Answer } from '../api/api-types.js';
import { apiDelete, apiPost } from '../api/client.js';
import { apiQuery } from '../api/queries.js';
import { ActionDialog, given } from '../components/action-dialog.js';
import { isOperation, operationFullName, operations } from '../components/operation-words.js';
import { groupId } from '../failures/causes.js';
import { useGroups } from '../failures/use-groups.js';
import { type Me, useMe } from '../session/session-store.js';
import {
  asideCount,
  causesOf,
  heldCount,
  holdsText,
  type Pause,
  type PauseScope,
  scopeText,
  stillPausedBy,
} from './pause-words.js';
import { usePrograms } from './program-choice.js';
import { Field } from './work-fields.js';
import styles from './work-form.module.css';

/** What is left out means all, for the API. */
const bodyOf = ({ program, operation, factor = null }: PauseScope): object => ({
  ...(program === null ? {} : { program }),
  ...(operation === null ? {} : { operation }),
  ...(factor === null ? {} : { factor }),
});

function useAfterwards(): () => void {
  const client = useQueryClient();
  return () => {
    for (const path of ['/pauses', '/stats']) void client.invalidateQueries({ queryKey: [path] });
  };
}

/** @param scope null: it is not chosen yet */
function useHeld(scope: PauseScope | null): { readonly count?: { readonly value: number; readonly of: string } } {
  const { data } = useQuery(apiQuery('/stats', {}));
  const { data: groups } = useGroups();
  if (data === undefined || scope === null) return {};
  const { factor = null } = scope;
  if (factor === null) return { count: { value: heldCount(data, scope), of: 'intents ready to be sent' } };
  return groups === undefined
    ? {}
    : { count: { value: asideCount(scope, groups.items), of: 'intents that stand aside' } };
}

const goesOn = 'Events go on being recorded, and no tries are used up.';
const pauseText = (scope: PauseScope | null): string =>
  scope === null
    ? `What is paused is not sent until somebody resumes it. ${goesOn}`
    : `Within a second ${holdsText(scope)}; calls under way end. ${goesOn}`;

/** No name that a program has: it means all of them. */
const every = '*';

interface ChoiceProps {
  readonly label: string;
  /** Empty: nothing is chosen yet. */
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps): ReactNode {
  return (
    <Field label={label}>
      {(id) => (
        <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
          {value === '' || options.length > 1 ? <option value="">Choose one</option> : null}
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

const operationOptions = [
  ...operations.map((operation) => ({ value: operation, text: operationFullName(operation) })),
  { value: every, text: 'Every operation' },
];

type Limit = Me['limitedTo'];

/** What the address or the token names already; the rest is to be chosen. */
function begunProgram(begun: string | undefined, limitedTo: Limit): string {
  if (limitedTo === null) return begun ?? '';
  if (limitedTo.length === 1) return limitedTo[0] ?? '';
  return limitedTo.find((program) => program === begun) ?? '';
}

function missingOf(program: string, operation: string, limitedTo: Limit): string | null {
  if (program === '') {
    return limitedTo === null
      ? 'Choose a program first.'
      : `Choose a program first: your token is limited to ${limitedTo.join(', ')}.`;
  }
  return operation === '' ? 'Choose an operation first.' : null;
}

interface PauseChosen {
  /** Null: not all of it is chosen yet. */
  readonly scope: PauseScope | null;
  /** Why nothing can be paused yet. */
  readonly missing: string | null;
  readonly fields: ReactNode;
}

/** Nothing is chosen by itself: the widest pause must be meant. */
function usePauseChosen(begun: PauseDialogProps['begun']): PauseChosen {
  const { limitedTo } = useMe();
  const [program, setProgram] = useState(begunProgram(begun.program, limitedTo));
  const [operation, setOperation] = useState<string>(isOperation(begun.operation) ? begun.operation : '');
  const known = usePrograms();
  // One that the address names stands there also before the list is read.
  const named = new Set(program === '' || program === every ? known : [...known, program]);
  const programOptions = [
    ...[...named].toSorted().map((value) => ({ value, text: value })),
    ...(limitedTo === null ? [{ value: every, text: 'Every program' }] : []),
  ];
  const missing = missingOf(program, operation, limitedTo);
  return {
    missing,
    scope:
      missing === null
        ? { program: program === every ? null : program, operation: isOperation(operation) ? operation : null }
        : null,
    fields: (
      <div className={styles.fields}>
        <Choice label="Program" value={program} options={programOptions} onChange={setProgram} />
        <Choice label="Operation" value={operation} options={operationOptions} onChange={setOperation} />
      </div>
    ),
  };
}

interface PauseDialogProps {
  /** What is chosen already, such as by the link that led here. */
  readonly begun: { readonly program?: string | undefined; readonly operation?: string | undefined };
  readonly onClose: () => void;
}

/** Stops an operation, a program, or everything. */
export function PauseDialog({ begun, onClose }: PauseDialogProps): ReactNode {
  const { scope, missing, fields } = usePauseChosen(begun);
  const onDone = useAfterwards();
  const held = useHeld(scope);
  const isEverything = scope !== null && scope.program === null && scope.operation === null;
  return (
    <ActionDialog
      action={scope === null ? 'Pause' : `Pause ${scopeText(scope)}`}
      done={({ isNew, pause }: Answer<'/pauses', 'post'>) =>
        isNew ? `Paused: ${scopeText(pause)}.` : `Paused already: ${scopeText(pause)}. That pause stays as it is.`
      }
      effect={{ words: pauseText(scope), ...held }}
      undo={
        isEverything
          ? 'All members of all programs wait until somebody resumes. Then all goes on in its order.'
          : 'Resume undoes it within a second: all goes on in its order.'
      }
      isDangerous={isEverything}
      obstacle={missing}
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) => apiPost('/pauses', { body: { ...(scope === null ? {} : bodyOf(scope)), reason } })}
    >
      {fields}
    </ActionDialog>
  );
}

/** Leads from a pause that delivery has set to what made it do so. */
export function PauseCauses({ pause }: { readonly pause: Pause }): ReactNode {
  const { data } = useGroups();
  const { program } = pause;
  if (data === undefined || program === null) return null;
  const causes = causesOf(pause, data.items);
  const [first] = causes;
  if (first === undefined) return null;
  const intents = causes.reduce((sum, group) => sum + group.intents, 0);
  return (
    <Link to="/failures" search={causes.length === 1 ? { group: groupId(first) } : { program }}>
      See the {intents.toLocaleString('en')} that failed
    </Link>
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
    <ActionDialog
      action={`Resume ${scopeText(pause)}`}
      done={`${scopeText(pause)} goes on.`}
      effect={{ words: 'Within a second all that waits is sent again, within the limits of the program.', ...held }}
      undo="It can be paused again at any time; what was sent meanwhile stays sent."
      reason={pause.automatic ? 'needed' : 'optional'}
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) => apiDelete('/pauses', { body: { ...bodyOf(pause), ...given(reason) } })}
    >
      {pause.automatic ? (
        <p className={styles.warning}>
          Delivery holds this by itself: the partner fails all such calls. It tries one now and then, and resumes when
          they are served. Mend the programs file or the partner first, else some more fail before it is held again. It
          said: {pause.reason} <PauseCauses pause={pause} />
        </p>
      ) : null}
      {others.length === 0 ? null : (
        <p>Some of it stays paused, by other pauses: {others.map(scopeText).join('; ')}.</p>
      )}
    </ActionDialog>
  );
}
