import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { moveTrail, neighboursOf } from '../components/list-place.js';
import styles from './list-neighbours.module.css';

/** Of whose list the rows are. */
type ListedPath = '/intents/$id' | '/quarantine/$id';

interface NeighbourProps {
  readonly to: ListedPath;
  readonly id: string | null;
  readonly children: ReactNode;
}

function Neighbour({ to, id, children }: NeighbourProps): ReactNode {
  if (id === null) return null;
  return (
    // "Back" leads to the list from wherever one has come.
    <Link to={to} params={{ id }} replace onClick={() => moveTrail(id)}>
      {children}
    </Link>
  );
}

interface ListNeighboursProps {
  readonly id: string;
  readonly to?: ListedPath;
}

/** To the rows before and behind this one in the list that one came from; nothing where one came from elsewhere. */
export function ListNeighbours({ id, to = '/intents/$id' }: ListNeighboursProps): ReactNode {
  const place = neighboursOf(id);
  if (place === null) return null;
  const { label, index, count, previous, next } = place;
  return (
    <nav aria-label="Neighbours in the list" className={styles.neighbours}>
      <Neighbour to={to} id={previous}>
        Previous
      </Neighbour>
      <span>{`${label}: ${(index + 1).toLocaleString('en')} of ${count.toLocaleString('en')} read`}</span>
      <Neighbour to={to} id={next}>
        Next
      </Neighbour>
    </nav>
  );
}
