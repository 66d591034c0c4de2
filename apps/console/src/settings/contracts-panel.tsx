import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

import { apiQuery } from '../api/queries.js';
import { ErrorPanel } from '../components/error-panel.js';
import { JsonView } from '../components/json-view.js';
import { Panel } from '../components/panel.js';
import styles from './contracts-panel.module.css';
import { type Contract, contractsIn } from './published-contracts.js';

function ContractItem({ contract: { name, topics, schema } }: { readonly contract: Contract }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={styles.summary}>
        <code>{name}</code> {topics.length === 0 ? '' : `in ${topics.join(', ')}`}
      </summary>
      {isOpen ? <JsonView value={schema} what={`the schema of ${name}`} /> : null}
    </details>
  );
}

/** The schemas of all topics, as this daemon checks by them. */
export function ContractsPanel(): ReactNode {
  const { data, error, refetch } = useQuery({ ...apiQuery('/contracts', {}), staleTime: Infinity });
  return (
    <Panel
      title="Contracts"
      about="JSON Schemas of all topics, as this daemon checks by them. They need no token: producers read them at /api/v1/contracts."
    >
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {contractsIn(data).map((contract) => (
        <ContractItem key={contract.name} contract={contract} />
      ))}
    </Panel>
  );
}
