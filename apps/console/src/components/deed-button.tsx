import { type ReactNode, useId } from 'react';

import { whyNot } from '../session/permissions.js';
import { type Role, useMe } from '../session/session-store.js';

interface DeedButtonProps {
  readonly needs: Role;
  /** Why it cannot be done to this very thing; null: it can. */
  readonly obstacle?: string | null;
  readonly kind?: 'main' | 'danger';
  readonly onClick: () => void;
  /** What it does, such as `Replay`. */
  readonly children: ReactNode;
}

/** Begins a deed. Who may not do it sees it all the same, and why not: it can be focused, so that the reason is heard. */
export function DeedButton({ needs, obstacle = null, kind, onClick, children }: DeedButtonProps): ReactNode {
  const me = useMe();
  const reasonId = useId();
  const reason = whyNot(me, needs) ?? obstacle;
  return (
    <>
      <button
        type="button"
        aria-disabled={reason !== null}
        {...(reason === null ? {} : { title: reason, 'aria-describedby': reasonId })}
        {...(kind === undefined ? {} : { 'data-kind': kind })}
        onClick={() => {
          if (reason === null) onClick();
        }}
      >
        {children}
      </button>
      {reason === null ? null : (
        <span id={reasonId} className="unseen">
          {reason}
        </span>
      )}
    </>
  );
}
