import { type ReactNode } from 'react';

import { EmptyState } from '../components/empty-state.js';
import { PageHeader } from '../components/page-header.js';
import { useMe } from '../session/session-store.js';

/** A record that was set aside is of no program for sure: who may see some programs only is told so, and nothing is asked for. */
export function OfAllPrograms({ children }: { readonly children: ReactNode }): ReactNode {
  const { limitedTo } = useMe();
  if (limitedTo === null) return children;
  return (
    <>
      <PageHeader title="Quarantine" />
      <EmptyState title="Records set aside are not shown">
        What could not be read may be of any program; your token is limited to {limitedTo.join(', ')}.
      </EmptyState>
    </>
  );
}
