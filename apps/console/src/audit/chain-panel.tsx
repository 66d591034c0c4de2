import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';

import { apiQuery } from '../api/queries.js';
import { CopyButton } from '../components/copy-button.js';
import { ErrorPanel } from '../components/error-panel.js';
import { Panel } from '../components/panel.js';
import { headParts } from './action-words.js';
import styles from './chain-panel.module.css';

const lookMs = 15_000;

function Head({ head, waiting }: { readonly head: string | null; readonly waiting: number }): ReactNode {
  const parts = headParts(head);
  if (parts === null) return <p>The chain is gone. See docs/operations/audit.md, “When it was changed”.</p>;
  return (
    <>
      <div className={styles.head}>
        <span>Link {parts.no.toLocaleString('en')}</span>
        <code className={styles.digest}>{parts.digest}</code>
        <CopyButton text={head ?? ''} what="the head" />
      </div>
      {waiting === 0 ? null : (
        <p className={styles.words}>{waiting.toLocaleString('en')} actions wait for their link, for some seconds.</p>
      )}
    </>
  );
}

/** The newest link of the chain, and what it is good for. */
export function ChainPanel(): ReactNode {
  const { data, error, refetch } = useQuery({
    ...apiQuery('/audit', { query: { limit: 1 } }),
    refetchInterval: lookMs,
  });
  if (error !== null) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (data === undefined || data.chain === null) return null;
  return (
    <Panel title="Head of the chain">
      <Head {...data.chain} />
      <details>
        <summary>What it is good for</summary>
        <p className={styles.words}>
          Each action has a link, whose digest covers the digest before it and the action. Whoever can write the
          database can still change the audit, but not unseen: <code>loyaltyd audit verify</code> computes all digests
          and names what was changed, is missing or was inserted. Somebody who rewrites the whole chain is found out
          only by a head that was kept elsewhere: note this one, and verify with{' '}
          <code>loyaltyd audit verify --head NO:DIGEST</code>.
        </p>
      </details>
    </Panel>
  );
}
