import { type ReactNode } from 'react';

import { Modal, ModalHead } from '../components/modal.js';
import styles from './drawer.module.css';
import { Navigation } from './navigation.js';

/** The navigation where there is no room for a side bar: on a phone. */
export function DrawerPanel({ onClose }: { readonly onClose: () => void }): ReactNode {
  return (
    <Modal className={styles.drawer} onClose={onClose}>
      <ModalHead>loyaltyd</ModalHead>
      <Navigation onGo={onClose} />
    </Modal>
  );
}
