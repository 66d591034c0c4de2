import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import type { Answer } from '../api/api-types.js';
import { apiQuery } from '../api/queries.js';
import { ErrorPanel } from '../components/error-panel.js';
import { Panel } from '../components/panel.js';
import { JsonView } from '../components/json-view.js';
import { TimeText } from '../components/time-text.js';
import { durationText } from '../components/time-words.js';
import type { FailureGroup } from './causes.js';
import styles from './failure-example.module.css';

type Intent = Answer<'/intents/{id}'>;
type Attempt = Intent['attempts'][number];

const secondMs = 1_000;

function tookText(durationMs: number | null): string {
  if (durationMs === null) return '';
  return ` after ${durationMs < secondMs ? `${Math.round(durationMs)} ms` : durationText(durationMs)}`;
}

const phaseWords: Readonly<Record<string, string>> = {
  'not-sent': 'it was not sent: given up',
  sent: 'it was sent, and no answer came: given up',
  answered: 'answered',
};

const outcomeWords: Readonly<Record<string, string>> = {
  AttemptApplied: 'it took effect',
  AttemptRejected: 'refused by the partner',
  AttemptNotApplied: 'it did not take effect',
  AttemptUnknown: 'nobody knows whether it took effect',
};

function outcomeText({ outcome, code }: Attempt): string {
  const how = outcome === null ? 'it has not ended' : (outcomeWords[outcome] ?? outcome);
  return code === null ? how : `${how} (code ${code})`;
}

function LastAttempt({ attempt }: { readonly attempt: Attempt }): ReactNode {
  const { begunAt, durationMs, phase, request, response } = attempt;
  return (
    <>
      <p>
        Attempt {attempt.attempt}, <TimeText at={begunAt} />: {outcomeText(attempt)}
        {phase === null ? '' : `; ${phaseWords[phase] ?? phase}`}
        {tookText(durationMs)}
      </p>
      <div className={styles.pair}>
        <div className={styles.side}>
          <h3 className={styles.name}>Sent</h3>
          {request === null ? (
            <p className={styles.none}>Nothing was sent</p>
          ) : (
            <JsonView value={request} what="the request" />
          )}
        </div>
        <div className={styles.side}>
          <h3 className={styles.name}>Answered</h3>
          {response === null ? (
            <p className={styles.none}>No answer came</p>
          ) : (
            <JsonView value={response} what="the answer" />
          )}
        </div>
      </div>
    </>
  );
}

/** What happened to one that was never tried. */
function LastEvent({ events }: Pick<Intent, 'events'>): ReactNode {
  const last = events.at(-1);
  if (last === undefined) return <p className={styles.none}>It was never tried, and nothing happened to it yet.</p>;
  return (
    <>
      <p>
        It was never sent. Its last event: <code>{last.type}</code>, <TimeText at={last.at} />
      </p>
      <JsonView value={last.data} what="the event" />
    </>
  );
}

function Example({ id }: { readonly id: string }): ReactNode {
  const { data: intent, error, refetch } = useQuery(apiQuery('/intents/{id}', { params: { id } }));
  if (error !== null) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (intent === undefined) return null;
  const attempt = intent.attempts.at(-1);
  return (
    <Panel
      title="An example: the newest"
      actions={
        <Link to="/intents/$id" params={{ id }}>
          Its whole story
        </Link>
      }
    >
      {attempt === undefined ? <LastEvent events={intent.events} /> : <LastAttempt attempt={attempt} />}
    </Panel>
  );
}

/** What was sent and answered the last time, of the newest one. */
export function FailureExample({ query }: Pick<FailureGroup, 'query'>): ReactNode {
  const { data } = useQuery(apiQuery('/intents', { query: { ...query, limit: 1 } }));
  const first = data?.items[0];
  return first === undefined ? null : <Example id={first.id} />;
}
