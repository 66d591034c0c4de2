import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

import { ApiProblem } from '../api/api-problem.js';
import type { Answer } from '../api/api-types.js';
import { apiPost } from '../api/client.js';
import { apiQuery } from '../api/queries.js';
import { DeedDialog } from '../components/deed-dialog.js';
import type { Effect } from '../components/deed-effect.js';
import { newJobId } from './job-id.js';
import { PassesFields, usePassesChosen } from './program-choice.js';
import { useJobBegun } from './use-job-begun.js';
import styles from './work-form.module.css';

type Listed = Answer<'/passes'>;

const shownMax = 10;

const words =
  'It reads the partner’s listing page by page, beside the traffic, and records each pass that carries our id as the member’s. Their purchases and rewards then go without a lookup, and what waited for such a pass is sent. Nothing is changed at the partner, and no pass that we know.';

function effectOf(listed: Listed | undefined): Effect {
  const { totalCount = null, items = [] } = listed ?? {};
  return {
    words,
    ...(totalCount === null ? {} : { count: { value: totalCount, of: 'passes at the partner' } }),
    items: items.map(({ memberId, pass }, index) => {
      const { statusCode = null } = pass as { readonly statusCode?: string };
      const name = memberId ?? 'a pass without our id, which is reported and left alone';
      return { id: `${index}`, text: statusCode === null ? name : `${name}, ${statusCode}` };
    }),
  };
}

function Look({ isAsking, error }: { readonly isAsking: boolean; readonly error: unknown }): ReactNode {
  if (isAsking) return <p role="status">Asking the partner how many it lists.</p>;
  if (error === null) return null;
  const why = error instanceof ApiProblem ? `${error.title}. ${error.detail ?? ''}` : 'No answer.';
  return (
    <p role="status" className={styles.warning}>
      The partner was asked how many it lists, and did not say: {why} The adoption asks by itself, and waits until it
      can.
    </p>
  );
}

/** Takes over members who had passes before us. The partner is asked how many it lists before anything is begun. */
export function AdoptDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [id] = useState(newJobId);
  const passes = usePassesChosen();
  const { program, filter, missing } = passes;
  const onDone = useJobBegun();
  const { data, error, isFetching } = useQuery({
    ...apiQuery('/passes', { query: { ...filter, limit: shownMax, reason: 'before an adoption' } }),
    enabled: missing === null,
    // A call of the partner: made once for each choice.
    staleTime: Infinity,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const isEmpty = data?.totalCount === 0;
  return (
    <DeedDialog
      deed={program === '' ? 'Adopt members' : `Adopt the members of ${program}`}
      done="The adoption has begun."
      effect={effectOf(data)}
      undo="It can be paused and cancelled. What is recorded stays: a pass that we know is not forgotten. Running it again changes nothing for them."
      obstacle={missing ?? (isEmpty ? 'The partner lists no such pass: there is nobody to adopt.' : null)}
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) => apiPost('/jobs', { body: { kind: 'adoption', ...filter, id, reason } })}
    >
      <Look isAsking={isFetching} error={error} />
      <PassesFields {...passes} />
    </DeedDialog>
  );
}
