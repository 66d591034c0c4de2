import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type SubmitEvent, useState } from 'react';

import { apiPost } from '../../api/client.js';
import { apiQuery } from '../../api/queries.js';
import { ActionEffect } from '../../components/action-effect.js';
import { ActionFailure } from '../../components/action-failure.js';
import { useActionOnce } from '../../components/action-once.js';
import { Panel } from '../../components/panel.js';
import { whyNot } from '../../session/permissions.js';
import { useMe } from '../../session/session-store.js';
import { announce } from '../../shell/announcements.js';
import { Preview } from '../../intent/exchange.js';
import { forecastLines, forecastText, sendable } from './forecast.js';
import { isPace, isReason, PaceFields, ReasonField } from './pace-fields.js';
import { countOf, filterOfReplay, type Replay } from './replay-filter.js';
import styles from './replays.module.css';

export function Forecast({ replay }: { readonly replay: Replay }): ReactNode {
  return (
    <ul className={styles.forecast} aria-label="What is to be expected">
      {forecastLines(replay).map(({ forecast, count, short, meaning, isSent }) => (
        <li key={forecast} data-sent={isSent}>
          <strong>{count.toLocaleString('en')}</strong>
          <span>
            {short} <span className={styles.about}>{meaning}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The very request that the first one would be: those of the others are like it. */
function FirstRequest({ id }: Pick<Replay, 'id'>): ReactNode {
  const { data } = useQuery(apiQuery('/jobs/{id}/items', { params: { id }, query: { limit: 1, requests: 'true' } }));
  return <Preview name="The first request" preview={data?.items[0]?.request ?? null} />;
}

interface StartReasonProps {
  readonly replay: Replay;
  readonly value: string;
  readonly onChange: (reason: string) => void;
}

/** Who has planned it has said why already; whoever else starts it is asked. */
function StartReason({ replay, value, onChange }: StartReasonProps): ReactNode {
  const { name } = useMe();
  const [isAsked, setAsked] = useState(replay.createdBy !== name);
  if (isAsked) return <ReasonField value={value} onChange={onChange} />;
  return (
    <p className={styles.given}>
      <span>
        <span className={styles.about}>Why</span> {value}
      </span>
      <button type="button" data-kind="plain" onClick={() => setAsked(true)}>
        Change reason
      </button>
    </p>
  );
}

function obstacleOf(replay: Replay, whyNotMe: string | null, isPaceValid: boolean, reason: string): string | null {
  if (whyNotMe !== null) return whyNotMe;
  if (sendable(replay) === 0) return 'None of them can be sent.';
  if (!isPaceValid) return 'Say how many a second: more than 0, at most 1,000.';
  return isReason(reason) ? null : 'Say why first.';
}

/** Starts what a dry run has frozen. */
function StartForm({ replay }: { readonly replay: Replay }): ReactNode {
  const me = useMe();
  const client = useQueryClient();
  const filter = filterOfReplay(replay);
  const [pace, setPace] = useState({ ratePerSecond: replay.ratePerSecond, isCanary: replay.canary });
  const [reason, setReason] = useState(replay.reason);
  const count = sendable(replay);
  const action = `Replay ${countOf(filter, count)}`;
  const missing = obstacleOf(replay, whyNot(me, replay.force ? 'admin' : 'operator'), isPace(pace), reason);
  const { ask, error, isPending } = useActionOnce({
    perform: async () => {
      const { ratePerSecond, isCanary: canary } = pace;
      const body = { reason: reason.trim(), ratePerSecond, canary };
      return apiPost('/jobs/{id}/start', { params: { id: replay.id }, body });
    },
    onDone: (started) => {
      client.setQueryData(['/jobs/{id}', { id: replay.id }, null], started);
      announce(`${countOf(filter, count)} will be sent once more`);
    },
  });
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (missing === null) ask();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <PaceFields pace={pace} onChange={setPace} count={count} />
      <StartReason replay={replay} value={reason} onChange={setReason} />
      {error === null ? null : <ActionFailure error={error} />}
      <p className={styles.undo}>
        It can be paused and cancelled at any time. What has been sent by then stays sent: nobody can take that back.
      </p>
      <div className={styles.buttons}>
        <button type="submit" data-kind="main" aria-disabled={missing !== null || isPending}>
          {action}
        </button>
        <p className={styles.about} role="status">
          {missing}
        </p>
      </div>
    </form>
  );
}

/** What a dry run found, and the button that has it sent. */
export function ReplayPlan({ replay }: { readonly replay: Replay }): ReactNode {
  const { items, members, money, force } = replay;
  const effect = {
    words: forecastText(replay),
    count: { value: items, of: 'selected' },
    members: members ?? 0,
    money: [...money],
  };
  const often = force
    ? 'Also those that were requeued five times and parked again: it is forced.'
    : 'What was requeued five times and parked again is refused: only an admin may force it.';
  return (
    <div className={styles.plan}>
      <Panel title="What would be sent">
        <ActionEffect effect={effect} />
        <Forecast replay={replay} />
        <FirstRequest id={replay.id} />
        <p className={styles.about}>{often}</p>
      </Panel>
      <Panel title="Start it">
        <StartForm replay={replay} />
      </Panel>
    </div>
  );
}
