import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type SubmitEvent, useState } from 'react';

import type { Answer } from '../../api/api-types.js';
import { apiPost } from '../../api/client.js';
import { apiQuery } from '../../api/queries.js';
import { ActionEffect } from '../../components/action-effect.js';
import { ActionFailure } from '../../components/action-failure.js';
import { useActionOnce } from '../../components/action-once.js';
import { MaskedValue } from '../../components/masked-value.js';
import { Panel } from '../../components/panel.js';
import { Preview } from '../../intent/exchange.js';
import { whyNot } from '../../session/permissions.js';
import { useMe } from '../../session/session-store.js';
import { announce } from '../../shell/announcements.js';
import { isRecordKind, type Job, type ManyKind, sendsItems } from '../job-kinds.js';
import { FilterChips } from '../replay/filter-chips.js';
import { isPace, PaceFields } from '../replay/pace-fields.js';
import { countOfJob, filterOfReplay, recordsText, type Replay, replayOf } from '../replay/replay-filter.js';
import { ReplayItems } from '../replay/replay-items.js';
import { Forecast } from '../replay/replay-plan.js';
import styles from '../replay/replays.module.css';
import { TextField } from '../work-fields.js';
import { manyWords, verbOf } from './many-words.js';

/** So many real ones are shown with what would be sent for each. */
const previewed = 3;

const shown = (value: unknown): string => (value === undefined || value === null ? 'none' : JSON.stringify(value));

type Item = Answer<'/jobs/{id}/items'>['items'][number];

const results = {
  taken: 'It would be taken in',
  ignored: 'It would have no effect',
  refused: 'It would be refused again',
} as const;

/** An event that would come of a record, and what the partner would be sent for it. */
function Becomes({ of }: { readonly of: NonNullable<Item['becomes']>[number] }): ReactNode {
  const { result, why, event, calls } = of;
  return (
    <>
      <p>
        {results[result]}
        {why === null ? '' : `: ${why}`}
      </p>
      {event === null || result === 'refused' ? null : (
        <details>
          <summary>The event</summary>
          <pre className={styles.event}>
            <MaskedValue text={event} />
          </pre>
        </details>
      )}
      {calls.map(({ operation, request }) => (
        <Preview key={operation} name={`What would be sent: ${operation}`} preview={request} />
      ))}
    </>
  );
}

/** By which rules records would be set aside again. */
function RefusedBy({ of }: { readonly of: NonNullable<Replay['refusedBy']> }): ReactNode {
  if (of.length === 0) return null;
  return (
    <>
      <h3>Refused again by</h3>
      <ul aria-label="Rules by which they are refused again">
        {of.map(({ rule, records }) => (
          <li key={rule}>
            <strong>{records.toLocaleString('en')}</strong> <code>{rule}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

function Examples({ id }: Pick<Job, 'id'>): ReactNode {
  const query = { limit: previewed, requests: 'true' } as const;
  const { data } = useQuery(apiQuery('/jobs/{id}/items', { params: { id }, query }));
  return (
    <section aria-label="What it makes of the first">
      {(data?.items ?? []).map(({ intent, record, changes = [], request = null, becomes = [] }) => (
        <div key={intent ?? record}>
          <p>
            <code>{record === null ? decodeURIComponent(intent ?? '') : `Record ${record}`}</code>
          </p>
          <ul>
            {changes.map(({ path, from, to }) => (
              <li key={path}>
                <code>{path}</code>: <MaskedValue text={shown(from)} /> becomes <MaskedValue text={shown(to)} />
              </li>
            ))}
          </ul>
          {record === null ? <Preview name="What would be sent" preview={request} /> : null}
          {becomes.map((one, index) => (
            <Becomes key={index} of={one} />
          ))}
        </div>
      ))}
    </section>
  );
}

function whyNotStarted(job: Job, { count, typed }: { readonly count: number; readonly typed: string }): string | null {
  if (Object.keys(job.selection?.byForecast ?? {}).length === 0) return 'Nothing is selected.';
  return Number(typed.replaceAll(/[,\s]/g, '')) === count ? null : `Type ${count.toLocaleString('en')} first.`;
}

function StartForm({ job, replay }: { readonly job: Job; readonly replay: Replay }): ReactNode {
  const me = useMe();
  const client = useQueryClient();
  const [typed, setTyped] = useState('');
  const [pace, setPace] = useState({ ratePerSecond: replay.ratePerSecond, isCanary: replay.canary });
  const count = replay.items;
  const what = countOfJob(replay, count);
  const isPaced = sendsItems(job);
  const missing =
    whyNot(me, 'operator') ??
    whyNotStarted(job, { count, typed }) ??
    (isPaced && !isPace(pace) ? 'Say how many a second: more than 0, at most 1,000.' : null);
  const { ask, error, isPending } = useActionOnce({
    perform: async () => {
      const { ratePerSecond, isCanary: canary } = pace;
      const body = { reason: job.reason, items: count, ...(isPaced ? { ratePerSecond, canary } : {}) };
      return apiPost('/jobs/{id}/start', { params: { id: job.id }, body });
    },
    onDone: (started) => {
      client.setQueryData(['/jobs/{id}', { id: job.id }, null], started);
      announce(`${what}: it has begun`);
    },
  });
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (missing === null) ask();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      {isPaced ? <PaceFields pace={pace} onChange={setPace} count={count} /> : null}
      <TextField
        label="How many"
        about={`Type ${count.toLocaleString('en')}: what is about to be done was seen.`}
        value={typed}
        onChange={setTyped}
      />
      {error === null ? null : <ActionFailure error={error} />}
      <p className={styles.undo}>{manyWords[job.kind as ManyKind].undo}</p>
      <div className={styles.buttons}>
        <button type="submit" data-kind="main" aria-disabled={missing !== null || isPending}>
          {verbOf(job)} {what}
        </button>
        <p className={styles.about} role="status">
          {missing}
        </p>
      </div>
    </form>
  );
}

/** What a plan found, and the button that has it done once its count was typed. */
export function ManyPlan({ job }: { readonly job: Job }): ReactNode {
  const replay = replayOf(job);
  const { items, members, money, notes = [], refusedBy = [] } = replay;
  const words = `${verbOf(job)}: what is to be expected of each. What moves meanwhile is left.`;
  const effect = {
    words,
    count: { value: items, of: 'selected' },
    ...(members === null ? {} : { members }),
    money: [...money],
  };
  return (
    <>
      <div className={styles.selection}>
        {isRecordKind(job.kind) ? <p>{recordsText(replay)}</p> : <FilterChips filter={filterOfReplay(replay)} />}
      </div>
      <div className={styles.plan}>
        <Panel title="What would be done">
          <ActionEffect effect={effect} />
          <Forecast replay={replay} />
          <RefusedBy of={refusedBy} />
          {notes.map((note) => (
            <p key={note} className={styles.warning}>
              {note}
            </p>
          ))}
          {job.kind === 'correct' || job.kind === 'resubmit' ? <Examples id={job.id} /> : null}
        </Panel>
        <Panel title="Begin it">
          <StartForm job={job} replay={replay} />
        </Panel>
      </div>
      <ReplayItems replay={replay} />
    </>
  );
}
