import type { Finding } from '../finding.js';
import { failed, ok, troublesOr, warning } from '../finding.js';

const name = 'postgres.settings';

interface Rule {
  readonly setting: string;
  readonly state: 'failed' | 'warning';
  readonly isWell: (value: string) => boolean;
  /** What follows from it. */
  readonly why: string;
  readonly wanted: string;
}

const is =
  (...wanted: readonly string[]) =>
  (value: string): boolean =>
    wanted.includes(value);

const blockBytes = 8_192;
/** The default of Postgres, meant for the smallest machines. */
const sharedBuffersBytesMin = 128 * 1024 ** 2;

const rules: readonly Rule[] = [
  {
    setting: 'fsync',
    state: 'failed',
    isWell: is('on'),
    why: 'a crash of the machine destroys the database',
    wanted: 'fsync=on',
  },
  {
    setting: 'full_page_writes',
    state: 'failed',
    isWell: is('on'),
    why: 'a crash in the middle of a write destroys pages',
    wanted: 'full_page_writes=on',
  },
  {
    setting: 'synchronous_commit',
    state: 'failed',
    isWell: is('on', 'local', 'remote_write', 'remote_apply'),
    why: 'a crash forgets what was sent last, and it is sent again',
    wanted: 'synchronous_commit=on',
  },
  {
    setting: 'zero_damaged_pages',
    state: 'failed',
    isWell: is('off'),
    why: 'damaged pages are silently emptied',
    wanted: 'zero_damaged_pages=off',
  },
  {
    setting: 'default_transaction_isolation',
    state: 'failed',
    isWell: is('read committed'),
    why: 'claims and group commits rest on READ COMMITTED',
    wanted: "default_transaction_isolation='read committed'",
  },
  {
    setting: 'session_replication_role',
    state: 'failed',
    isWell: is('origin', 'local'),
    why: 'our triggers do not fire: truth tables are not protected, standings are not kept',
    wanted: 'session_replication_role=origin',
  },
  {
    setting: 'autovacuum',
    state: 'failed',
    isWell: is('on'),
    why: 'dead rows of the lane table pile up, and claims take ever longer',
    wanted: 'autovacuum=on',
  },
  {
    setting: 'track_counts',
    state: 'failed',
    isWell: is('on'),
    why: 'autovacuum does not see what there is to do',
    wanted: 'track_counts=on',
  },
  {
    setting: 'track_activities',
    state: 'warning',
    isWell: is('on'),
    why: 'nobody can see who holds back the cleaning of rows',
    wanted: 'track_activities=on',
  },
  {
    setting: 'shared_buffers',
    state: 'warning',
    isWell: (value) => Number(value) * blockBytes >= sharedBuffersBytesMin,
    why: 'it is below 128 MB, the default for the smallest machines',
    wanted: 'shared_buffers to a quarter of the memory (it takes a restart)',
  },
];

/** What is only told. */
const shown = ['synchronous_standby_names', 'track_commit_timestamp', 'shared_memory_type'];

/** The settings to be looked at. */
export const settingNames: readonly string[] = [...rules.map(({ setting }) => setting), ...shown];

function toFinding({ setting, state, why, wanted }: Rule, value: string): Finding {
  const trouble = {
    detail: `${setting}=${value}: ${why}`,
    remedy: `Set ${wanted} where it comes from: postgresql.conf or ALTER SYSTEM, then SELECT pg_reload_conf(); or ALTER DATABASE, ALTER ROLE.`,
  };
  return (state === 'failed' ? failed : warning)(`${name}.${setting}`, trouble);
}

/** `local` is as safe as `on` only where no standby is waited for. */
function judgeStandbys(values: ReadonlyMap<string, string>): readonly Finding[] {
  const commit = values.get('synchronous_commit') ?? 'on';
  const standbys = values.get('synchronous_standby_names') ?? '';
  if (standbys === '' || commit !== 'local') return [];
  return [
    warning(`${name}.synchronous_standby_names`, {
      detail: 'there are synchronous standbys, and synchronous_commit=local does not wait for them',
      remedy: 'After a failover what they lack is sent again: set synchronous_commit=on, or do without them knowingly.',
    }),
  ];
}

/** The settings on which our promises rest, as our own connections have them. */
export function judgeSettings(values: ReadonlyMap<string, string>): readonly Finding[] {
  const troubles = rules.flatMap((rule) => {
    const value = values.get(rule.setting);
    return value === undefined || rule.isWell(value) ? [] : [toFinding(rule, value)];
  });
  const told = [...values].map(([setting, value]) => `${setting}=${value === '' ? "''" : value}`);
  return troublesOr([...troubles, ...judgeStandbys(values)], ok(name, told.toSorted().join(', ')));
}
