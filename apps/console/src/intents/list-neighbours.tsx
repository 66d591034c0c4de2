import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { moveTrail, neighboursOf } from '../components/list-place.js';
import styles from './list-neighbours.module.css';

interface NeighbourProps {
  readonly id: string | null;
  readonly children: ReactNode;
}

function Neighbour({ id, children }: NeighbourProps): ReactNode {
  if (id === null) return null;
  return (
    // "Back" leads to the list from wherever one has come.
    <Link to="/intents/$id" params={{ id }} replace onClick={() => moveTrail(id)}>
      {children}
    </Link>
  );
}

/** To the intents before and behind this one in the list that one came from; nothing where one came from elsewhere. */
export function ListNeighbours({ id }: { readonly id: string }): ReactNode {
  const place = neighboursOf(id);
  if (place === null) return null;
  const { label, index, count, previous, next } = place;
  return (
    <nav aria-label="Neighbours in the list" className={styles.neighbours}>
      <Neighbour id={previous}>Previous</Neighbour>
      <span>{`${label}: ${(index + 1).toLocaleString('en')} of ${count.toLocaleString('en')} read`}</span>
      <Neighbour id={next}>Next</Neighbour>
    </nav>
  );
}
