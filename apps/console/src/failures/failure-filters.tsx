import { type ReactNode } from 'react';

import { useSearchTexts } from '../shell/use-search-texts.js';

/** Which failures are shown: it stands in the address. */
export function FailureFilters({ programs }: { readonly programs: readonly string[] }): ReactNode {
  const [{ program = '', status = '' }, change] = useSearchTexts();
  // One that the address names, though it has no failures now.
  const names = program === '' || programs.includes(program) ? programs : [program, ...programs];
  return (
    <>
      <label>
        <span className="unseen">Program</span>
        <select value={program} onChange={(event) => change({ program: event.target.value })}>
          <option value="">All programs</option>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label>
        <span className="unseen">Status</span>
        <select value={status} onChange={(event) => change({ status: event.target.value })}>
          <option value="">Parked and unknown</option>
          <option value="parked">Parked</option>
          <option value="unknown">Unknown</option>
        </select>
      </label>
    </>
  );
}
