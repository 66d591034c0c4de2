import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { Money } from '../components/money.js';
import { type PlainColumn, PlainTable } from '../components/plain-table.js';
import { durationText } from '../components/time-words.js';
import { byProgram } from './figures.js';
import styles from './now-table.module.css';
import { countText, type Stats } from './problem.js';

const breakerWords: Readonly<Record<Stats['partner'][number]['breaker'], string>> = {
  closed: 'closed',
  trying: 'tries one call',
  probing: 'asks whether it is back',
  open: 'open: it rests',
};

interface CountProps {
  readonly count: number;
  readonly status: Status;
  readonly program: string;
}

/** A count that leads to what it counts. */
function Count({ count, status, program }: CountProps): ReactNode {
  if (count === 0) return <span className={styles.zero}>0</span>;
  const to = status === 'parked' || status === 'unknown' ? '/failures' : '/intents';
  return (
    <Link to={to} search={{ status, program }} aria-label={`${countText(count)} ${status} of ${program}`}>
      {countText(count)}
    </Link>
  );
}

type Figures = ReturnType<typeof byProgram>[number];
type Status = 'pending' | 'waiting' | 'unknown' | 'parked';

const isResting = ({ partner }: Figures): boolean => partner !== null && partner.breaker !== 'closed';
const breakerOf = ({ partner }: Figures): string => (partner === null ? '–' : breakerWords[partner.breaker]);

const countColumn = (status: Status, header: string, isMinor = false): PlainColumn<Figures> => ({
  ...{ id: status, header, align: 'end', isMinor },
  cell: (figures) => <Count count={figures[status]} status={status} program={figures.program} />,
});

const columns: readonly PlainColumn<Figures>[] = [
  {
    id: 'program',
    header: 'Program',
    className: styles.name,
    cell: (figures) => (
      <>
        {figures.program}
        {isResting(figures) ? <span className={styles.resting}>Breaker {breakerOf(figures)}</span> : null}
      </>
    ),
  },
  {
    ...{ id: 'settled', header: 'Settled a minute', align: 'end', isMinor: true },
    cell: ({ deliveredPerMinute }) => deliveredPerMinute ?? '–',
  },
  countColumn('pending', 'Pending'),
  countColumn('waiting', 'Waiting', true),
  countColumn('unknown', 'Unknown'),
  countColumn('parked', 'Parked'),
  {
    ...{ id: 'oldest', header: 'Oldest pending', align: 'end', isMinor: true },
    cell: ({ oldest }) => (oldest === null ? '–' : durationText(oldest.seconds * 1_000)),
  },
  { id: 'risk', header: 'At risk', align: 'end', isMinor: true, cell: ({ atRisk }) => <Money of={atRisk} /> },
  {
    ...{ id: 'limit', header: 'Calls at once, at most', align: 'end', isMinor: true },
    cell: ({ partner }) => (partner === null ? '–' : countText(partner.limit)),
  },
  {
    ...{ id: 'breaker', header: 'Breaker', isMinor: true, className: styles.breaker },
    state: (figures) => (isResting(figures) ? 'bad' : undefined),
    cell: breakerOf,
  },
];

/** How each program stands, and its partner as all processes see it together. */
export function ProgramTable({ stats }: { readonly stats: Stats }): ReactNode {
  const programs = byProgram(stats);
  if (programs.length === 0) return null;
  return (
    <div>
      <h2 className={styles.title}>Programs</h2>
      <PlainTable label="Programs" columns={columns} rows={programs} rowId={({ program }) => program} />
    </div>
  );
}
