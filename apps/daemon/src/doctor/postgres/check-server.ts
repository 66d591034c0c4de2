import type { InspectedServer } from '#platform';

import type { Finding } from '../finding.js';
import { failed, ok, warning } from '../finding.js';

const versionName = 'postgres.version';
const primaryName = 'postgres.primary';
/** Supported: 15 to 18. */
const oldestMajor = 15;
const newestMajor = 18;

function judgeVersion({ versionNumber, version }: InspectedServer): Finding {
  const major = Math.floor(versionNumber / 10_000);
  if (major < oldestMajor) {
    const detail = `${version}: older than ${oldestMajor}`;
    return failed(versionName, { detail, remedy: `Upgrade Postgres: ${oldestMajor} to ${newestMajor} are supported.` });
  }
  if (major > newestMajor) {
    const detail = `${version}: newer than ${newestMajor}, with which we have not been tried`;
    return warning(versionName, { detail, remedy: 'Look for a newer release of loyaltyd.' });
  }
  return ok(versionName, version);
}

function judgePrimary({ isStandby, isReadOnly }: InspectedServer): Finding {
  if (isStandby) {
    const remedy = 'DATABASE_URL must lead to the primary. After a failover: does the name still lead to the old one?';
    return failed(primaryName, { detail: 'this is a standby: nothing can be written', remedy });
  }
  if (isReadOnly) {
    const remedy =
      'Find who set default_transaction_read_only (postgresql.conf, ALTER DATABASE, ALTER ROLE): a managed service does so ' +
      'when its disk is full.';
    return failed(primaryName, { detail: 'default_transaction_read_only is on: nothing can be written', remedy });
  }
  return ok(primaryName, 'it takes writes');
}

/** A version that we support, and a server that takes writes. */
export function judgeServer(server: InspectedServer): readonly Finding[] {
  return [judgeVersion(server), judgePrimary(server)];
}
