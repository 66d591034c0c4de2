import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';

import { relativeText } from '../components/time-words.js';
import { TimeText } from '../components/time-text.js';
import { CommonMessage } from '../failures/common-message.js';
import { Preview } from './exchange.js';
import type { Intent } from './intent-words.js';
import styles from './intent-screen.module.css';
import type { Next } from './what-next.js';

const tickMs = 1_000;

/** The time by the second, while something is counted down to. */
export function useSeconds(isCounting: boolean): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    if (!isCounting) return undefined;
    const timer = setInterval(() => setNowMs(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, [isCounting]);
  return nowMs;
}

interface NextLinkProps {
  readonly intent: Intent;
  readonly link: Next['link'];
}

function NextLink({ intent, link }: NextLinkProps): ReactNode {
  if (link === null) return null;
  if (link === 'pauses') return <Link to="/pauses">See what is paused</Link>;
  if (link === 'member') {
    const { program, memberId } = intent;
    return (
      <Link to="/members/$program/$memberId" params={{ program, memberId }}>
        See the member
      </Link>
    );
  }
  return (
    <Link to="/intents/$id" params={{ id: link.intent }}>
      Open {link.intent}
    </Link>
  );
}

interface NextPanelProps {
  readonly intent: Intent;
  readonly next: Next;
  readonly nowMs: number;
}

/** What happens next and when, without anybody doing anything. */
export function NextPanel({ intent, next, nowMs }: NextPanelProps): ReactNode {
  const { tone, title, at, words, link } = next;
  const isRefused = intent.status === 'parked' && intent.reason === 'rejected' && intent.fingerprint !== null;
  const isSettled = intent.status === 'delivered' || intent.status === 'cancelled';
  return (
    <section className={styles.next} data-tone={tone} aria-label="What happens next">
      <p className={styles.nextTitle}>
        {title}
        {at === null ? null : (
          <span>
            {', '}
            {Date.parse(at) > nowMs ? relativeText(Date.parse(at), nowMs) : 'any moment'}
            <span className={styles.quiet}>
              {' '}
              (<TimeText at={at} isLong mayCome />)
            </span>
          </span>
        )}
      </p>
      {isRefused ? (
        <p>
          Partner: <CommonMessage program={intent.program} fingerprint={intent.fingerprint} />
        </p>
      ) : null}
      {words === null ? null : <p>{words}</p>}
      <NextLink intent={intent} link={link} />
      {isSettled ? null : (
        <Preview
          name={intent.attempts.length > 0 ? 'If it is sent again' : 'Would be sent'}
          preview={intent.nextRequest}
        />
      )}
    </section>
  );
}
