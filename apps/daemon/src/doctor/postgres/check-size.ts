import type { FreeSpace, InspectedSize } from '#platform';

import type { Finding } from '../finding.js';
import { failed, ok, skipped, warning } from '../finding.js';
import { bytesText } from '../quantity.js';

const diskName = 'postgres.disk';
const wraparoundName = 'postgres.transaction-ids';

/** Autovacuum begins to fight against it at 200 million; at two billion the server stops. */
const oldestAgeMax = 500_000_000;
const oldestAgeAlarming = 1_500_000_000;

const freeShareMin = 0.15;
const freeShareAlarming = 0.05;

function judgeDisk({ databaseBytes }: InspectedSize, space: FreeSpace | null): Finding {
  const size = `the database takes ${bytesText(databaseBytes)}`;
  if (space === null) {
    return skipped(diskName, `${size}; what is free cannot be read from here: watch the server’s disk`);
  }
  const share = space.freeBytes / space.allBytes;
  const detail = `${size}; ${bytesText(space.freeBytes)} free (${Math.round(share * 100)} %)`;
  if (share >= freeShareMin) return ok(diskName, detail);
  const remedy =
    'Make room: what fills it (slots, WAL, logs, other databases)? When it is full, Postgres stops, and so does everything here.';
  return (share < freeShareAlarming ? failed : warning)(diskName, { detail, remedy });
}

function judgeAge({ oldestTransactionAge: age }: InspectedSize): Finding {
  const detail = `the oldest row not frozen is ${Math.round(age / 1_000_000)} million transactions old`;
  if (age < oldestAgeMax) return ok(wraparoundName, detail);
  const remedy =
    'Vacuum does not keep up, or something holds it back (long transactions, slots): mend that, then VACUUM FREEZE.';
  return (age >= oldestAgeAlarming ? failed : warning)(wraparoundName, { detail, remedy });
}

/** Room on the disk, and transaction ids that are left. */
export function judgeSize(size: InspectedSize, space: FreeSpace | null): readonly Finding[] {
  return [judgeDisk(size, space), judgeAge(size)];
}
