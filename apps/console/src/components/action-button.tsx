import { type FocusEvent, type MouseEvent, type ReactNode, useId, useRef } from 'react';

import { whyNot } from '../session/permissions.js';
import { type Role, useMe } from '../session/session-store.js';
import styles from './action-button.module.css';

interface ActionButtonProps {
  readonly needs: Role;
  /** Why it cannot be done to this very thing; null: it can. */
  readonly obstacle?: string | null;
  readonly kind?: 'main' | 'danger';
  readonly onClick: () => void;
  /** What it does, such as `Replay`. */
  readonly children: ReactNode;
}

/** From the button, and from the edges of the window, pixels. */
const gap = 4;

/** Under the button, or above it where there is no room; it scrolls with the page. */
function place(reason: HTMLElement, { left, top, bottom }: DOMRect): void {
  const { clientWidth, clientHeight } = document.documentElement;
  const isBelow = bottom + gap + reason.offsetHeight <= clientHeight;
  const x = Math.max(gap, Math.min(left, clientWidth - reason.offsetWidth - gap));
  const y = isBelow ? bottom + gap : top - gap - reason.offsetHeight;
  reason.style.left = `${x + scrollX}px`;
  reason.style.top = `${y + scrollY}px`;
}

/**
 * What a button that does nothing needs to say why: to a mouse that rests on it, to a keyboard that comes to it, and to a
 * finger that presses it. Esc, or whatever is done elsewhere, takes the words away.
 */
function useReason(reason: string, id: string) {
  const words = useRef<HTMLSpanElement>(null);
  const show = (button: HTMLElement): void => {
    words.current?.togglePopover(true);
    if (words.current !== null) place(words.current, button.getBoundingClientRect());
  };
  return {
    words,
    button: {
      'aria-disabled': true,
      'aria-describedby': id,
      title: reason,
      onClick: ({ currentTarget }: MouseEvent<HTMLElement>) => {
        // Safari gives it to no button by itself; without it nothing would take the words away again.
        currentTarget.focus();
        show(currentTarget);
      },
      onFocus: ({ currentTarget }: FocusEvent<HTMLElement>) => {
        if (currentTarget.matches(':focus-visible')) show(currentTarget);
      },
      onBlur: () => words.current?.togglePopover(false),
    },
  } as const;
}

/** Begins an action. Who may not do it sees it all the same, and why not: it can be focused and pressed, so that it says so. */
export function ActionButton({ needs, obstacle = null, kind, onClick, children }: ActionButtonProps): ReactNode {
  const id = useId();
  const reason = whyNot(useMe(), needs) ?? obstacle;
  const { words, button } = useReason(reason ?? '', id);
  return (
    <>
      <button
        type="button"
        {...(reason === null ? { 'aria-disabled': false, onClick } : button)}
        {...(kind === undefined ? {} : { 'data-kind': kind })}
      >
        {children}
      </button>
      {reason === null ? null : (
        <span ref={words} id={id} popover="auto" className={styles.reason}>
          {reason}
        </span>
      )}
    </>
  );
}
