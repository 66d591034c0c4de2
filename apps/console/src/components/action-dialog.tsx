import * as Dialog from '@radix-ui/react-dialog';
import { type ReactNode, type SubmitEvent, useId } from 'react';

import { useDraft } from '../session/drafts.js';
import { announce } from '../shell/announcements.js';
import { ActionEffect, type Effect } from './action-effect.js';
import styles from './action-dialog.module.css';
import { ActionFailure } from './action-failure.js';
import { useActionOnce } from './action-once.js';
import { Modal } from './modal.js';

/** As the API takes reasons. */
const reasonCharsMin = 3;
const reasonCharsMax = 1_000;

export interface ActionDialogProps<T> {
  readonly onClose: () => void;
  /** What the button will do, as its words: `Replay 12 intents`. */
  readonly action: string;
  /** What was done, for the message afterwards: `12 intents will be sent once more`. */
  readonly done: string | ((answer: T) => string);
  readonly effect: Effect;
  /** How to undo it, or that nobody can. */
  readonly undo: string;
  /** It takes something away, or cannot be undone. */
  readonly isDangerous?: boolean;
  /** Whether the daemon wants to know why. */
  readonly reason?: 'needed' | 'optional' | 'none';
  /** Why it cannot be done yet: something in `children` is missing; null: it can. */
  readonly obstacle?: string | null;
  /**
   * The reason comes without spaces around it; empty where none was given. Write it before `done` and `onDone`, which take
   * its answer: TypeScript infers types in the order of properties.
   */
  readonly perform: (reason: string) => Promise<T>;
  readonly onDone?: (answer: T) => void;
  /** Further choices, above the reason. */
  readonly children?: ReactNode;
}

/** A reason as the API takes it where none is needed: left out where none was given. */
export const given = (reason: string): { readonly reason?: string } => (reason === '' ? {} : { reason });

interface ReasonFieldProps {
  readonly isNeeded: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ReasonField({ isNeeded, value, onChange }: ReasonFieldProps): ReactNode {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>Why{isNeeded ? '' : ' (optional)'}</label>
      <textarea
        id={id}
        rows={2}
        required={isNeeded}
        maxLength={reasonCharsMax}
        value={value}
        aria-describedby={`${id}-about`}
        onChange={(event) => onChange(event.target.value)}
      />
      <p id={`${id}-about`} className={styles.about}>
        Kept in the audit and shown to colleagues: nothing personal.
      </p>
    </div>
  );
}

/** Beside what somebody finds as they left it. */
export function KeptNote(): ReactNode {
  return <p className={styles.about}>This is as you left it when your session ended.</p>;
}

interface ButtonsProps {
  readonly action: string;
  /** What must be said before it can be done. */
  readonly missing: string | null;
  readonly isDangerous: boolean;
  readonly isPending: boolean;
  readonly onClose: () => void;
}

function Buttons({ action, missing, isDangerous, isPending, onClose }: ButtonsProps): ReactNode {
  return (
    <div className={styles.buttons}>
      <p className={styles.about} role="status">
        {missing}
      </p>
      <button type="button" onClick={onClose} disabled={isPending}>
        Leave it
      </button>
      <button type="submit" data-kind={isDangerous ? 'danger' : 'main'} aria-disabled={missing !== null || isPending}>
        {action}
      </button>
    </div>
  );
}

function missingOf(rule: 'needed' | 'optional' | 'none', reason: string): string | null {
  if (rule === 'needed' && reason.length < reasonCharsMin) return 'Say why first.';
  if (rule === 'optional' && reason.length > 0 && reason.length < reasonCharsMin) return 'That reason is too short.';
  return null;
}

/**
 * Before anything is done: what it will do, to how many, for how much, whether it can be undone. Nothing is done by a key
 * that somebody presses by accident: the focus begins at the first field, and the button has the action's name.
 */
export function ActionDialog<T>(props: ActionDialogProps<T>): ReactNode {
  const { onClose, action, done, effect, undo, isDangerous = false, reason: rule = 'needed' } = props;
  const draft = useDraft(`${action}: why`, () => '');
  const reason = draft.text.trim();
  const close = (): void => {
    draft.drop();
    onClose();
  };
  const missing = props.obstacle ?? missingOf(rule, reason);
  const { ask, error, isPending } = useActionOnce({
    perform: async () => props.perform(reason),
    onDone: (answer) => {
      announce(typeof done === 'string' ? done : done(answer));
      close();
      props.onDone?.(answer);
    },
  });
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (missing === null) ask();
  };
  return (
    <Modal className={styles.dialog} onClose={() => (isPending ? undefined : close())}>
      <Dialog.Title className={styles.title}>{action}</Dialog.Title>
      <form onSubmit={submit} className={styles.form}>
        <ActionEffect effect={effect} />
        <p className={isDangerous ? styles.danger : styles.undo}>{undo}</p>
        {props.children}
        {draft.isKept ? <KeptNote /> : null}
        {rule === 'none' ? null : (
          <ReasonField isNeeded={rule === 'needed'} value={draft.text} onChange={draft.change} />
        )}
        {error === null ? null : <ActionFailure error={error} />}
        <Buttons action={action} missing={missing} isDangerous={isDangerous} isPending={isPending} onClose={close} />
      </form>
    </Modal>
  );
}
