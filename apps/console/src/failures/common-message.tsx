import { type ReactNode } from 'react';

import type { FailureGroup } from './causes.js';
import { useGroups } from './use-groups.js';

/** What the partner said to one that is parked, where it said so to enough others; else who may see it. */
export function CommonMessage({ program, fingerprint }: Pick<FailureGroup, 'program' | 'fingerprint'>): ReactNode {
  const { data } = useGroups();
  if (data === undefined) return null;
  const group = data.items.find((one) => one.program === program && one.fingerprint === fingerprint);
  const wording = group?.wording ?? null;
  return wording === null ? 'Masked: fewer than five members were told the same' : <q>{wording}</q>;
}
