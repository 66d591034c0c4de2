import { type ReactNode, useId } from 'react';

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

interface ChoiceProps {
  readonly label: string;
  /** Empty: nothing is chosen yet. */
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly onChange: (value: string) => void;
}

/** One of several; nothing is chosen by itself where there are several. */
export function Choice({ label, value, options, onChange }: ChoiceProps): ReactNode {
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
