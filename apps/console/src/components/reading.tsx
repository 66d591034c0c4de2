import type { ReactNode } from 'react';

/** Stands where nothing was read yet: a screen without it would look as if there were nothing. */
export function Reading(): ReactNode {
  return (
    <p role="status" aria-busy="true">
      Reading
    </p>
  );
}
