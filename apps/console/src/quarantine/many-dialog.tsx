import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

import { ActionDialog } from '../components/action-dialog.js';
import type { Effect } from '../components/action-effect.js';
import { ErrorPanel } from '../components/error-panel.js';
import { TimeText } from '../components/time-text.js';
import { countRecords, type FoundRecords, settleMany } from './many-records.js';
import { type ManyAction, type ManyResult, resultWords } from './many-result.js';
import { filterWords, type ManyQuery, placeText } from './quarantine-filter.js';

interface ManyDialogProps {
  readonly action: ManyAction;
  readonly query: ManyQuery;
  readonly onClose: () => void;
  readonly onDone: (result: ManyResult) => void;
}

const texts = {
  resubmit: {
    verb: 'Resubmit',
    words:
      'Each is taken in as if it came now, by the programs file in force, one by one. What would be refused again stays here.',
    undo: 'What is taken in becomes an intent and is sent; it cannot be put back here. Records that erase a member take an admin: for others they count as failed.',
  },
  discard: {
    verb: 'Discard',
    words: 'They are given up: nothing of them is ever sent. Their bytes are kept as long as the retention says.',
    undo: 'This cannot be undone: a discarded record cannot be taken in any more.',
  },
} as const;

/** What came after they were counted stays, and whoever decides knows it. */
function Sentence({
  words,
  query,
  at,
}: {
  readonly words: string;
  readonly query: ManyQuery;
  readonly at?: string;
}): ReactNode {
  const scope = filterWords(query);
  return (
    <>
      {words} Meant {scope === null ? 'is every open record, as no filter is set' : `are open records with ${scope}`}
      {at === undefined ? null : (
        <>
          , of those set aside until <TimeText at={at} isLong />: what came later stays
        </>
      )}
      .
    </>
  );
}

function effectOf(found: FoundRecords | undefined, words: string, query: ManyQuery): Effect {
  if (found === undefined) return { words: <Sentence words={words} query={query} /> };
  const { count, isExact, first, at } = found;
  return {
    words: <Sentence words={words} query={query} at={at} />,
    count: { value: count, of: isExact ? 'records' : 'records at least', isExact: true },
    items: first.map((record) => ({
      id: String(record.id),
      text: `${record.id} · ${record.reason} · ${placeText(record)}`,
    })),
  };
}

function nameOf(verb: string, found: FoundRecords | undefined): string {
  if (found === undefined) return `${verb} records`;
  const number = found.count.toLocaleString('en');
  if (!found.isExact) return `${verb} more than ${number} records`;
  return `${verb} ${number} ${found.count === 1 ? 'record' : 'records'}`;
}

/** Before they are counted the dialog does nothing: see its obstacle. */
const noneFound = { count: 0, isExact: true, upTo: null };

/** Deals with all open records that a filter finds, after they were counted. */
export function ManyDialog({ action, query, onClose, onDone }: ManyDialogProps): ReactNode {
  const [soFar, setSoFar] = useState<ManyResult | null>(null);
  const [stop] = useState(() => new AbortController());
  const { data, error, refetch } = useQuery({
    queryKey: ['/quarantine', 'count', query],
    queryFn: async ({ signal }) => countRecords(query, signal),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const { verb, words, undo } = texts[action];
  return (
    <ActionDialog
      action={nameOf(verb, data)}
      done={(result: ManyResult) => resultWords(result, action)}
      effect={effectOf(data, words, query)}
      undo={undo}
      isDangerous={action === 'discard'}
      obstacle={data === undefined ? 'Counting them first.' : data.count === 0 ? 'There is none any more.' : null}
      onClose={onClose}
      perform={async (reason) =>
        settleMany({ action, query, found: data ?? noneFound, reason, onProgress: setSoFar, signal: stop.signal })
      }
      onDone={onDone}
    >
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {soFar === null ? null : (
        <p role="status">
          {resultWords(soFar, action)}{' '}
          {soFar.remaining === 0 ? null : (
            <button type="button" onClick={() => stop.abort()}>
              Stop after this part
            </button>
          )}
        </p>
      )}
    </ActionDialog>
  );
}
