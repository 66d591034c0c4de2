import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, type SubmitEvent, useState } from 'react';

import { apiPost } from '../../api/client.js';
import { apiQuery } from '../../api/queries.js';
import { ActionFailure } from '../../components/action-failure.js';
import { useActionOnce } from '../../components/action-once.js';
import { Panel } from '../../components/panel.js';
import { PageHeader } from '../../components/page-header.js';
import { whyNot } from '../../session/permissions.js';
import { type Me, useMe } from '../../session/session-store.js';
import { useSearchTexts } from '../../shell/use-search-texts.js';
import { AddFilter } from './add-filter.js';
import { FilterChips } from './filter-chips.js';
import { ForceField, isReason, ReasonField } from './pace-fields.js';
import { countOf, filterOf, type ReplayFilter } from './replay-filter.js';
import styles from './replays.module.css';

const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
const lettersAtEnd = 4;

/** `2026-11-27-0152-k3fq`: says when it was planned, and is nobody else's. */
function newReplayId(): string {
  const at = new Date().toISOString().slice(0, 16).replace('T', '-').replace(':', '');
  const bytes = crypto.getRandomValues(new Uint8Array(lettersAtEnd));
  return `${at}-${[...bytes].map((byte) => letters[byte % letters.length]).join('')}`;
}

/** How many fit now, before anything is frozen: the dry run counts them exactly. */
export function Estimate({ filter }: { readonly filter: ReplayFilter }): ReactNode {
  const { data, isPending } = useQuery(
    apiQuery('/intents/count', { query: { ...filter, status: 'parked' } as Readonly<Record<string, string>> }),
  );
  const text = ((): string => {
    if (data === undefined) return isPending ? 'Counting' : 'The dry run counts them.';
    if (data.count === 0) return 'Nothing that is parked fits.';
    return `${data.isExact ? '' : 'About '}${countOf(filter, data.count)} parked now. The dry run freezes and counts them.`;
  })();
  return (
    <p role="status" className={styles.about}>
      {text}
    </p>
  );
}

/** Who may know of several programs only must name one; of one only, it is meant. */
export function whyNotSelected({ program }: ReplayFilter, { limitedTo }: Pick<Me, 'limitedTo'>): string | null {
  if (program !== undefined || limitedTo === null || limitedTo.length === 1) return null;
  return `Narrow it down to one program first: your token is limited to ${limitedTo.join(', ')}.`;
}

/** Freezes the selection and says what is to be expected. Nothing is sent: how fast is asked of who starts it. */
function PlanForm({ filter }: { readonly filter: ReplayFilter }): ReactNode {
  const me = useMe();
  const navigate = useNavigate();
  // The same plan asked for twice, because no answer came, is made once.
  const [id] = useState(newReplayId);
  const [isForced, setIsForced] = useState(false);
  const [reason, setReason] = useState('');
  const missing = whyNot(me, 'operator') ?? whyNotSelected(filter, me) ?? (isReason(reason) ? null : 'Say why first.');
  const { ask, error, isPending } = useActionOnce({
    perform: async () =>
      apiPost('/jobs', {
        body: { kind: 'replay', id, query: filter, reason: reason.trim(), dryRun: true, force: isForced },
      }),
    onDone: () => void navigate({ to: '/jobs/$kind/$id', params: { kind: 'replay', id } }),
  });
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (missing === null) ask();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <ReasonField value={reason} onChange={setReason} />
      <ForceField isForced={isForced} onChange={setIsForced} />
      {error === null ? null : <ActionFailure error={error} />}
      <div className={styles.buttons}>
        <button type="submit" data-kind="main" aria-disabled={missing !== null || isPending}>
          Preview
        </button>
        <p className={styles.about} role="status">
          {missing ?? 'A dry run: nothing is sent. You start it from its page, with a canary.'}
        </p>
      </div>
    </form>
  );
}

export function NewReplayScreen(): ReactNode {
  const [texts, change] = useSearchTexts();
  const filter = filterOf(texts);
  const isUnknown = texts.status === 'unknown';
  return (
    <>
      <PageHeader title="New replay" about="Sends parked intents once more. First a look at what would be sent." />
      <Panel title="Selection" isTitleUnseen>
        <FilterChips filter={filter} onRemove={(key) => change({ [key]: null })} />
        <AddFilter onAdd={(key, value) => change({ [key]: value })} />
        <Estimate filter={filter} />
        {isUnknown ? (
          <p className={styles.warning}>
            What is unknown may have taken effect and is not replayed: only what is parked is selected.{' '}
            <Link to="/intents" search={{ ...filter, status: 'unknown' }}>
              Look at those that are unknown
            </Link>
          </p>
        ) : null}
      </Panel>
      <Panel title="How" isTitleUnseen>
        {/* Another selection is another replay: with an id of its own. */}
        <PlanForm key={JSON.stringify(filter)} filter={filter} />
      </Panel>
    </>
  );
}
