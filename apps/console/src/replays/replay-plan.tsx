import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type SubmitEvent, useState } from 'react';

import type { Approval } from '../api/api-types.js';
import { apiPost } from '../api/client.js';
import { apiQuery } from '../api/queries.js';
import { DeedAwaits } from '../components/deed-awaits.js';
import { DeedEffect } from '../components/deed-effect.js';
import { DeedFailure } from '../components/deed-failure.js';
import { useDeedOnce } from '../components/deed-once.js';
import { Panel } from '../components/panel.js';
import { whyNot } from '../session/permissions.js';
import { useMe } from '../session/session-store.js';
import { announce } from '../shell/announcements.js';
import { expectationOf, forecastLines, forecastText, sendable } from './forecast.js';
import { isPace, isReason, PaceFields, ReasonField } from './pace-fields.js';
import { countOf, filterOfReplay, type Replay } from './replay-filter.js';
import styles from './replays.module.css';

const firstShown = 10;

function Forecast({ replay }: { readonly replay: Replay }): ReactNode {
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

/** The first ones, each with the very request that it would be. */
function useFirstItems({ id }: Replay): readonly { readonly id: string; readonly text: ReactNode }[] {
  const { data } = useQuery(
    apiQuery('/replays/{id}/items', { params: { id }, query: { limit: firstShown, requests: 'true' } }),
  );
  return (data?.items ?? []).map(({ intent, forecast, request, overtaken }) => ({
    id: intent,
    text: (
      <>
        {decodeURIComponent(intent)}{' '}
        <span className={styles.about}>
          {request === null || request === undefined ? '' : `${request.method} ${request.path}: `}
          {expectationOf(forecast).short}
          {overtaken > 0 ? `, ${overtaken.toLocaleString('en')} later of this member went before it` : ''}
        </span>
      </>
    ),
  }));
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
  const [approval, setApproval] = useState<Approval | null>(null);
  const count = sendable(replay);
  const deed = `Replay ${countOf(filter, count)}`;
  const missing = obstacleOf(replay, whyNot(me, replay.force ? 'admin' : 'operator'), isPace(pace), reason);
  const { ask, error, isPending } = useDeedOnce({
    perform: async () => {
      const { ratePerSecond, isCanary: canary } = pace;
      const { id, force } = replay;
      const body = { id, query: filter, reason: reason.trim(), ratePerSecond, canary, force, dryRun: false };
      return apiPost('/replays', { body });
    },
    onDone: (outcome) => {
      if (outcome.state === 'awaits-approval') {
        setApproval(outcome.approval);
        return;
      }
      client.setQueryData(['/replays/{id}', { id: replay.id }, null], outcome.answer);
      announce(`${countOf(filter, count)} will be sent once more`);
    },
  });
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (missing === null) ask();
  };
  if (approval !== null) return <DeedAwaits approval={approval} onClose={() => setApproval(null)} />;
  return (
    <form className={styles.form} onSubmit={submit}>
      <PaceFields pace={pace} onChange={setPace} count={count} />
      <ReasonField value={reason} onChange={setReason} />
      {error === null ? null : <DeedFailure error={error} />}
      <p className={styles.undo}>
        It can be paused and cancelled at any time. What has been sent by then stays sent: nobody can take that back.
      </p>
      <div className={styles.buttons}>
        <button type="submit" data-kind="main" aria-disabled={missing !== null || isPending}>
          {deed}
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
    ...(members === undefined ? {} : { members }),
    money,
    items: useFirstItems(replay),
  };
  const often = force
    ? 'Also those that were requeued five times and parked again: it is forced.'
    : 'What was requeued five times and parked again is refused: only an admin may force it.';
  return (
    <div className={styles.plan}>
      <Panel title="What would be sent">
        <DeedEffect effect={effect} />
        <Forecast replay={replay} />
        <p className={styles.about}>{often}</p>
      </Panel>
      <Panel title="Start it">
        <StartForm replay={replay} />
      </Panel>
    </div>
  );
}
