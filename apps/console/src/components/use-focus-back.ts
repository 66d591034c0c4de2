import { useState } from 'react';

/**
 * For `onCloseAutoFocus` of a dialog that is there while it is open: Radix gives the focus back to its own triggers only.
 * It goes to where it was before, or to the content where that is gone; whatever has been given it meanwhile keeps it.
 */
export function useFocusBack(): (event: Event) => void {
  const [before] = useState(() => document.activeElement);
  return (event) => {
    event.preventDefault();
    const { activeElement, body } = document;
    if (activeElement !== null && activeElement !== body) return;
    const there = before instanceof HTMLElement && before !== body && before.isConnected ? before : null;
    (there ?? document.getElementById('main'))?.focus({ preventScroll: true });
  };
}
