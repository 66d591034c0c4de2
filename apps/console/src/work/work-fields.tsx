import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';

import { apiQuery } from '../api/queries.js';
import { programsOf } from './pause-words.js';
import styles from './work-form.module.css';

interface FieldProps {
  readonly label: string;
  readonly about?: string;
  readonly children: (id: string, aboutId: string | undefined) => ReactNode;
}

/** A labelled field with a line about it. */
export function Field({ label, about, children }: FieldProps): ReactNode {
  const id = useId();
  const aboutId = about === undefined ? undefined : `${id}-about`;
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {children(id, aboutId)}
      {about === undefined ? null : (
        <p id={aboutId} className={styles.about}>
          {about}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly about?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'datetime-local';
}

export function TextField({ label, about, value, onChange, type = 'text' }: TextFieldProps): ReactNode {
  return (
    <Field label={label} {...(about === undefined ? {} : { about })}>
      {(id, aboutId) => (
        <input
          id={id}
          type={type}
          value={value}
          spellCheck={false}
          autoComplete="off"
          aria-describedby={aboutId}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

interface ProgramFieldProps {
  readonly value: string;
  /** What an empty value means; absent where a program must be named. */
  readonly every?: string;
  readonly onChange: (value: string) => void;
}

/** One of the programs that there are any intents of: a name that is misspelt would find nothing. */
export function ProgramField({ value, every, onChange }: ProgramFieldProps): ReactNode {
  const { data } = useQuery(apiQuery('/stats', {}));
  const programs = data === undefined ? [] : programsOf(data);
  return (
    <Field label="Program">
      {(id) => (
        <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">{every ?? 'Choose one'}</option>
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

interface CheckFieldProps {
  readonly label: string;
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
}

export function CheckField({ label, value, onChange }: CheckFieldProps): ReactNode {
  return (
    <label className={styles.check}>
      <input type="checkbox" checked={value} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}
