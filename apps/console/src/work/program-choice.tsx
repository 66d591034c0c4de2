import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

import { apiQuery } from '../api/queries.js';
import { type Me, useMe } from '../session/session-store.js';
import { programsOf } from './pause-words.js';
import { momentOf } from '../components/time-input.js';
import { usePreferences } from '../shell/preferences.js';
import { Field, TextField } from './work-fields.js';
import styles from './work-form.module.css';

type Limit = Me['limitedTo'];

interface ProgramChosen {
  /** Empty: none is chosen yet, or every program is meant. */
  readonly program: string;
  readonly choose: (program: string) => void;
  /** Why nothing can be begun yet; null: it can. */
  readonly missing: string | null;
}

/** Where a program must be named; a token that is limited to several must name one also where nothing would mean all. */
function missingOf(program: string, mayBeEvery: boolean, limitedTo: Limit): string | null {
  if (program !== '' || (mayBeEvery && limitedTo === null)) return null;
  return limitedTo === null
    ? 'Choose a program first.'
    : `Choose a program first: your token is limited to ${limitedTo.join(', ')}.`;
}

/** The program that a dialog is about: the only one, where somebody may know of one only. */
export function useProgramChosen({ mayBeEvery = false } = {}): ProgramChosen {
  const { limitedTo } = useMe();
  const [program, choose] = useState(limitedTo?.length === 1 ? (limitedTo[0] ?? '') : '');
  return { program, choose, missing: missingOf(program, mayBeEvery, limitedTo) };
}

/** Those of the file, also where there are no intents yet, and those that there are intents of. A limited token is not shown the file. */
export function usePrograms(): readonly string[] {
  const { limitedTo } = useMe();
  const isWhole = limitedTo === null;
  const stats = useQuery({ ...apiQuery('/stats', {}), enabled: isWhole });
  const file = useQuery({ ...apiQuery('/programs', {}), enabled: isWhole });
  if (!isWhole) return limitedTo.toSorted();
  const { programs = {} } = (file.data?.content ?? {}) as { readonly programs?: object };
  const seen = stats.data === undefined ? [] : programsOf(stats.data);
  return [...new Set([...Object.keys(programs), ...seen])].toSorted();
}

interface ProgramFieldProps {
  readonly value: string;
  /** What an empty value means; absent where a program must be named. */
  readonly every?: string;
  readonly onChange: (value: string) => void;
}

/** One of the programs that there are: a name that is misspelt would find nothing. */
export function ProgramField({ value, every, onChange }: ProgramFieldProps): ReactNode {
  const { limitedTo } = useMe();
  const programs = usePrograms();
  const empty = limitedTo === null ? every : undefined;
  return (
    <Field label="Program">
      {(id) => (
        <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
          {limitedTo?.length === 1 ? null : <option value="">{empty ?? 'Choose one'}</option>}
          {programs.map((program) => (
            <option key={program} value={program}>
              {program}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface PassesChosen extends ProgramChosen {
  readonly since: string;
  readonly setSince: (since: string) => void;
  /** As the API takes it. */
  readonly filter: { readonly program: string; readonly updatedSince?: string };
}

/** Which passes of the partner's listing a dialog is about: those of a program, or of them those that changed lately. */
export function usePassesChosen(): PassesChosen {
  const chosen = useProgramChosen();
  const [since, setSince] = useState('');
  const { timeZone } = usePreferences();
  const updatedSince = momentOf(since, timeZone);
  const filter = { program: chosen.program, ...(updatedSince === null ? {} : { updatedSince }) };
  return { ...chosen, since, setSince, filter };
}

export function PassesFields({ program, choose, since, setSince }: PassesChosen): ReactNode {
  return (
    <div className={styles.fields}>
      <ProgramField value={program} onChange={choose} />
      <TextField
        label="Only passes that changed since (optional)"
        type="datetime-local"
        value={since}
        onChange={setSince}
      />
    </div>
  );
}
