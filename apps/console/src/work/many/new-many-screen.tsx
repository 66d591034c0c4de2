import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, type SubmitEvent, useState } from 'react';

import { apiPost } from '../../api/client.js';
import { ActionFailure } from '../../components/action-failure.js';
import { useActionOnce } from '../../components/action-once.js';
import { Panel } from '../../components/panel.js';
import { PageHeader } from '../../components/page-header.js';
import { whyNot } from '../../session/permissions.js';
import { filterWords, manyQueryOf, type ManyQuery } from '../../quarantine/quarantine-filter.js';
import { OpenCount } from '../../quarantine/record-counts.js';
import { type Me, useMe } from '../../session/session-store.js';
import { useSearchTexts } from '../../shell/use-search-texts.js';
import { newJobId } from '../job-id.js';
import { isManyKind, isRecordKind, type ManyKind, type RecordKind, whyHidden } from '../job-kinds.js';
import { AddFilter } from '../replay/add-filter.js';
import { FilterChips } from '../replay/filter-chips.js';
import { Estimate, whyNotSelected } from '../replay/new-replay-screen.js';
import { isReason, ReasonField } from '../replay/pace-fields.js';
import { filterOf, type ReplayFilter } from '../replay/replay-filter.js';
import styles from '../replay/replays.module.css';
import {
  CancelChoice,
  type Choice,
  CorrectChoice,
  firstChoices,
  NoChoice,
  ResolveChoice,
  ResubmitChoice,
  SettleChoice,
} from './many-choices.js';
import { manyWords } from './many-words.js';

const choices = {
  ...{ resolve: ResolveChoice, correct: CorrectChoice, cancel: CancelChoice, settle: SettleChoice },
  ...{ ask: NoChoice, resubmit: ResubmitChoice, discard: NoChoice },
};

interface PlanFormProps {
  readonly kind: ManyKind;
  readonly filter: ReplayFilter | ManyQuery;
}

/** Why nothing can be planned for this selection; null: it can. */
function whyNotFiltered(kind: ManyKind, filter: ReplayFilter | ManyQuery, me: Me): string | null {
  if (!isRecordKind(kind)) return whyNotSelected(filter, me);
  return whyHidden(kind, me) ?? (filterWords(filter) === null ? 'Choose first which, in Quarantine.' : null);
}

/** Freezes the selection and says what is to be expected; nothing is done. */
function PlanForm({ kind, filter }: PlanFormProps): ReactNode {
  const me = useMe();
  const navigate = useNavigate();
  const [choice, setChoice] = useState<Choice>(firstChoices[kind]);
  const [reason, setReason] = useState('');
  // Another plan is another job; the same one asked for twice, because no answer came, is made once.
  const [{ id, of }, setId] = useState({ id: newJobId(), of: '' });
  const body = JSON.stringify({ ...choice.body, query: filter });
  if (of !== body) setId({ id: newJobId(), of: body });
  const Fields = choices[kind];
  const missing =
    whyNot(me, 'operator') ??
    whyNotFiltered(kind, filter, me) ??
    choice.missing ??
    (isReason(reason) ? null : 'Say why first.');
  const { ask, error, isPending } = useActionOnce({
    perform: async () =>
      apiPost('/jobs', { body: { kind, id, query: filter, reason: reason.trim(), ...choice.body } as never }),
    onDone: () => void navigate({ to: '/jobs/$kind/$id', params: { kind, id } }),
  });
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (missing === null) ask();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <Fields filter={filter} onChange={setChoice} />
      <ReasonField value={reason} onChange={setReason} />
      {error === null ? null : <ActionFailure error={error} />}
      <div className={styles.buttons}>
        <button type="submit" data-kind="main" aria-disabled={missing !== null || isPending}>
          {manyWords[kind].look}
        </button>
        <p className={styles.about} role="status">
          {missing ?? 'A plan: nothing is done. You begin it from its page.'}
        </p>
      </div>
    </form>
  );
}

/** What is done to many records that were set aside. Which, the list of them has said. */
function NewRecordsJob({ kind }: { readonly kind: RecordKind }): ReactNode {
  const [texts] = useSearchTexts();
  const { kind: _kind, ...filters } = texts;
  const query = manyQueryOf(filters);
  const scope = filterWords(query);
  const { title, about } = manyWords[kind];
  return (
    <>
      <PageHeader title={title} about={about} />
      <Panel title="Selection" isTitleUnseen>
        <p>
          {scope === null ? null : `Open records with ${scope}. `}
          <Link to="/quarantine" search={filters}>
            {scope === null ? 'Choose which in Quarantine' : 'Choose others'}
          </Link>
        </p>
        <p role="status" className={styles.about}>
          <OpenCount />
          The plan freezes and counts them.
        </p>
      </Panel>
      <Panel title="What" isTitleUnseen>
        <PlanForm key={`${kind} ${JSON.stringify(query)}`} kind={kind} filter={query} />
      </Panel>
    </>
  );
}

/** What is done to many: which, and what. */
export function NewManyScreen(): ReactNode {
  const [{ kind = '' }] = useSearchTexts();
  if (isRecordKind(kind)) return <NewRecordsJob kind={kind} />;
  return <NewIntentsJob kind={isManyKind(kind) ? kind : 'resolve'} />;
}

function NewIntentsJob({ kind }: { readonly kind: ManyKind }): ReactNode {
  const [texts, change] = useSearchTexts();
  const asked = filterOf(texts);
  // Only what is in doubt is settled by a list, or by a look.
  const filter = kind === 'settle' || kind === 'ask' ? { ...asked, reason: 'unknown-outcome' } : asked;
  const { title, about } = manyWords[kind];
  return (
    <>
      <PageHeader title={title} about={about} />
      <Panel title="Selection" isTitleUnseen>
        <FilterChips filter={filter} onRemove={(key) => change({ [key]: null })} />
        <AddFilter onAdd={(key, value) => change({ [key]: value })} />
        <Estimate filter={filter} />
      </Panel>
      <Panel title="What" isTitleUnseen>
        <PlanForm key={`${kind} ${JSON.stringify(filter)}`} kind={kind} filter={filter} />
      </Panel>
    </>
  );
}
