import type { Answer } from '../api/api-types.js';

export type DoctorCheck = Answer<'/doctor'>['checks'][number];
type CheckState = DoctorCheck['state'];

/** The worst first. */
const checkStates: readonly CheckState[] = ['failed', 'warning', 'skipped', 'ok'];

const areas = [
  { prefix: 'environment', name: 'Variables' },
  { prefix: 'programs', name: 'Programs file and dialect' },
  { prefix: 'partner', name: 'Partner: what is assumed, and what it answered' },
  { prefix: 'kafka', name: 'Kafka' },
  { prefix: 'postgres', name: 'Postgres' },
  { prefix: 'installation', name: 'Installation' },
  { prefix: 'processes', name: 'Processes' },
  { prefix: 'clock', name: 'Clocks' },
  { prefix: 'operations', name: 'Access' },
] as const;
const otherArea = 'Other';

/** Whose database it is stands beside what is asked of that partner. */
const moved: Readonly<Record<string, string>> = { 'installation.partner': 'partner', 'clock.partner': 'partner' };

function areaOf({ name }: DoctorCheck): string {
  const prefix = moved[name] ?? name.split('.')[0];
  return areas.find((area) => area.prefix === prefix)?.name ?? otherArea;
}

interface CheckArea {
  readonly name: string;
  readonly checks: readonly DoctorCheck[];
}

const rankOf = ({ state }: DoctorCheck): number => checkStates.indexOf(state);
const worstOf = ({ checks }: CheckArea): number => Math.min(...checks.map(rankOf));

/** Area by area, those with something wrong first, and in each what is wrong first. */
export function checkAreas(checks: readonly DoctorCheck[]): readonly CheckArea[] {
  const names = [...areas.map(({ name }) => name), otherArea];
  return names
    .map((name) => ({
      name,
      checks: checks.filter((check) => areaOf(check) === name).toSorted((a, b) => rankOf(a) - rankOf(b)),
    }))
    .filter((area) => area.checks.length > 0)
    .toSorted((a, b) => Math.min(worstOf(a), 2) - Math.min(worstOf(b), 2));
}
