import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import type { AuditTarget } from './action-words.js';

/** What an action was done to, as a link where there is a page of it. */
export function AuditTargetLink({ target }: { readonly target: AuditTarget }): ReactNode {
  switch (target.kind) {
    case 'intent':
      return (
        <Link to="/intents/$id" params={{ id: target.id }}>
          {target.id}
        </Link>
      );
    case 'member':
      return (
        <Link
          to="/members/$program/$memberId"
          params={{ program: target.program, memberId: target.memberId }}
        >{`${target.program}/${target.memberId}`}</Link>
      );
    case 'record':
      return (
        <Link to="/quarantine/$id" params={{ id: target.id }}>
          record {target.id}
        </Link>
      );
    case 'job':
      return (
        <Link to="/jobs/$kind/$id" params={{ kind: target.jobKind, id: target.id }}>
          {target.jobKind} {target.id}
        </Link>
      );
    case 'text':
      return target.text;
  }
}
