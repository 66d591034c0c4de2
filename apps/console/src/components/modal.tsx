import * as Dialog from '@radix-ui/react-dialog';
import { type ReactNode, useState } from 'react';

import { Icon } from './icon.js';
import styles from './modal.module.css';

/**
 * For `onCloseAutoFocus` of a dialog that is there while it is open: Radix gives the focus back to its own triggers only.
 * It goes to where it was before, or to the content where that is gone; whatever has been given it meanwhile keeps it.
 */
function useFocusBack(): (event: Event) => void {
  const [before] = useState(() => document.activeElement);
  return (event) => {
    event.preventDefault();
    const { activeElement, body } = document;
    if (activeElement !== null && activeElement !== body) return;
    const there = before instanceof HTMLElement && before !== body && before.isConnected ? before : null;
    (there ?? document.getElementById('main'))?.focus({ preventScroll: true });
  };
}

const fields = 'input:not([type="hidden"], :disabled), select:not(:disabled), textarea:not(:disabled)';

/** For `onOpenAutoFocus`: the first field has it, so that what somebody types is not lost; without any, whatever comes first. */
function focusFirstField(event: Event): void {
  const field = event.target instanceof HTMLElement ? event.target.querySelector<HTMLElement>(fields) : null;
  if (field === null) return;
  event.preventDefault();
  field.focus();
}

interface ModalProps {
  /** Says where it stands and how large it is. */
  readonly className: string | undefined;
  readonly onClose: () => void;
  /** One `Dialog.Title` or `ModalHead` among them. */
  readonly children: ReactNode;
}

/** Stands before everything else while it is there: whoever opens it draws it, and takes it away in `onClose`. */
export function Modal({ className, onClose, children }: ModalProps): ReactNode {
  const giveFocusBack = useFocusBack();
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className={styles.veil} />
        <Dialog.Content
          className={`${styles.modal} ${className}`}
          aria-describedby={undefined}
          onOpenAutoFocus={focusFirstField}
          onCloseAutoFocus={giveFocusBack}
        >
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The title, and a cross beside it. */
export function ModalHead({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div className={styles.head}>
      <Dialog.Title className={styles.title}>{children}</Dialog.Title>
      <Dialog.Close data-kind="plain" aria-label="Close">
        <Icon name="close" />
      </Dialog.Close>
    </div>
  );
}
