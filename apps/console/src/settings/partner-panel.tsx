import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';

import { apiQuery } from '../api/queries.js';
import { Panel } from '../components/panel.js';
import { PlainTable } from '../components/plain-table.js';

const breakers = {
  closed: 'closed: calls are made',
  trying: 'trying: a few calls are made',
  probing: 'probing: one call is made at a time',
  open: 'open: no calls are made for a while',
} as const;

/** How the answering process stands to the partner, by program. */
export function PartnerPanel(): ReactNode {
  const { data } = useQuery(apiQuery('/stats', {}));
  const partner = data?.partner ?? [];
  if (partner.length === 0) return null;
  return (
    <Panel
      title="Partner, as the answering process sees it"
      about="What is assumed of the partner stands in the programs file and its dialect, above; no call can read it. What can be checked is among the checks of Now."
    >
      <PlainTable
        label="Partner"
        rows={partner}
        rowId={({ program }) => program}
        columns={[
          { id: 'program', header: 'Program', cell: ({ program }) => program },
          { id: 'limit', header: 'Calls at once', cell: ({ limit }) => limit.toLocaleString('en') },
          { id: 'breaker', header: 'Circuit breaker', cell: ({ breaker }) => breakers[breaker] },
        ]}
      />
    </Panel>
  );
}
