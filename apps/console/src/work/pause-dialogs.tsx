import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

import type { Answer } from '../api/api-types.js';
import { apiPost } from '../api/client.js';
import { apiQuery } from '../api/queries.js';
import { ActionDialog } from '../components/action-dialog.js';
import { isOperation, operationFullName, operations } from '../components/operation-words.js';
import { useGroups } from '../failures/use-groups.js';
import { type Me, useMe } from '../session/session-store.js';
import {
  asideCount,
  factorKinds,
  heldCount,
  holdsText,
  isMemberFactor,
  type Pause,
  type PauseScope,
  scopeText,
} from './pause-words.js';
import { usePrograms } from './program-choice.js';
import { useUntil } from './pause-until.js';
import { Choice, TextField } from './work-fields.js';
import styles from './work-form.module.css';

/** What is left out means all, for the API. */
export const bodyOf = ({ program, operation, factor = null }: PauseScope): object => ({
  ...(program === null ? {} : { program }),
  ...(operation === null ? {} : { operation }),
  ...(factor === null ? {} : { factor }),
});

/** Left out: it is to be lifted. */
export const untilBody = (until: string | undefined): object => (until === undefined ? {} : { until });

export function useAfterwards(): () => void {
  const client = useQueryClient();
  return () => {
    for (const path of ['/pauses', '/stats']) void client.invalidateQueries({ queryKey: [path] });
  };
}

/** @param scope null: it is not chosen yet */
export function useHeld(scope: PauseScope | null): {
  readonly count?: { readonly value: number; readonly of: string };
} {
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

const factorOptions = [
  { value: every, text: 'All calls' },
  ...factorKinds.map(({ kind, name }) => ({ value: kind, text: `Those of one ${name.toLowerCase()}` })),
];

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

/** Why that cannot be paused by a factor; null: it can. */
function factorFlaw(program: string, operation: string, factor: string | null): string | null {
  if (factor === null) return null;
  if (program === every) return 'Choose one program: the others mean something else by that.';
  return isMemberFactor(factor) && operation !== every ? 'Choose every operation: a member is held as a whole.' : null;
}

function missingOf(program: string, operation: string, limitedTo: Limit): string | null {
  if (program === '') {
    return limitedTo === null
      ? 'Choose a program first.'
      : `Choose a program first: your token is limited to ${limitedTo.join(', ')}.`;
  }
  return operation === '' ? 'Choose an operation first.' : null;
}

/** What calls have in common that are meant; null: all are. `missing`: why that is not said yet. */
function useFactor(begun: string | undefined): {
  readonly factor: NonNullable<Pause['factor']> | null;
  readonly missing: string | null;
  readonly fields: ReactNode;
} {
  const known = factorKinds.find(({ kind }) => begun?.startsWith(`${kind}:`) === true);
  const [kind, setKind] = useState<string>(known?.kind ?? every);
  const [value, setValue] = useState(known === undefined ? '' : (begun ?? '').slice(known.kind.length + 1));
  const chosen = factorKinds.find((each) => each.kind === kind);
  const named = value.trim();
  return {
    factor: chosen === undefined || named === '' ? null : `${chosen.kind}:${named}`,
    missing: chosen === undefined || named !== '' ? null : `Say which ${chosen.name.toLowerCase()} first.`,
    fields: (
      <>
        <Choice label="Of these" value={kind} options={factorOptions} onChange={setKind} />
        {chosen === undefined ? null : <TextField label={chosen.name} value={value} onChange={setValue} />}
      </>
    ),
  };
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
  const { factor, ...ofFactor } = useFactor(begun.factor);
  const missing =
    missingOf(program, operation, limitedTo) ?? ofFactor.missing ?? factorFlaw(program, operation, factor);
  return {
    missing,
    scope:
      missing === null
        ? { program: program === every ? null : program, operation: isOperation(operation) ? operation : null, factor }
        : null,
    fields: (
      <div className={styles.fields}>
        <Choice label="Program" value={program} options={programOptions} onChange={setProgram} />
        <Choice label="Operation" value={operation} options={operationOptions} onChange={setOperation} />
        {ofFactor.fields}
      </div>
    ),
  };
}

interface PauseDialogProps {
  /** What is chosen already, such as by the link that led here. */
  readonly begun: Readonly<Record<'program' | 'operation' | 'factor', string | undefined>>;
  readonly onClose: () => void;
}

/** Stops an operation, a program, a part of either, or everything. */
export function PauseDialog({ begun, onClose }: PauseDialogProps): ReactNode {
  const { scope, missing, fields } = usePauseChosen(begun);
  const until = useUntil();
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
      obstacle={missing ?? until.missing}
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) =>
        apiPost('/pauses', { body: { ...(scope === null ? {} : bodyOf(scope)), ...untilBody(until.until()), reason } })
      }
    >
      {fields}
      <div className={styles.fields}>{until.fields}</div>
    </ActionDialog>
  );
}
