import * as Dialog from '@radix-ui/react-dialog';
import { type ReactNode } from 'react';

import { Icon } from '../components/icon.js';
import { useFocusBack } from '../components/use-focus-back.js';
import styles from './drawer.module.css';
import { Navigation } from './navigation.js';

/** The navigation where there is no room for a side bar: on a phone. */
export function DrawerPanel({ onClose }: { readonly onClose: () => void }): ReactNode {
  const giveFocusBack = useFocusBack();
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className={styles.veil} />
        <Dialog.Content className={styles.drawer} aria-describedby={undefined} onCloseAutoFocus={giveFocusBack}>
          <div className={styles.head}>
            <Dialog.Title className={styles.title}>loyaltyd</Dialog.Title>
            <Dialog.Close data-kind="plain" aria-label="Close">
              <Icon name="close" />
            </Dialog.Close>
          </div>
          <Navigation onGo={onClose} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
