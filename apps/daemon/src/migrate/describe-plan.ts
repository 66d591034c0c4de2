import type { PlannedMigration } from '#platform';

type Effect = PlannedMigration['effects'][number];

const locks: Record<Effect['lock'], string> = {
  none: 'stops nobody',
  rows: 'stops whoever writes the same rows',
  schema: 'stops nobody but other schema changes',
  writers: 'stops all who write to it',
  everybody: 'stops all who use it',
};

const works: Record<Effect['work'], string> = {
  short: 'for a moment',
  'reads-table': 'while it reads all of it',
  'rewrites-table': 'while it writes all of it anew',
  'changes-rows': 'while it changes rows, as many as there are',
  unknown: 'for how long cannot be told in advance',
};

const bytesPerMegabyte = 1_048_576;

function sizeText({ size }: Effect): string {
  if (size === null) return '';
  const rows = size.rows === null ? 'rows not counted yet' : `about ${Math.round(size.rows)} rows`;
  return ` (${rows}, ${Math.ceil(size.bytes / bytesPerMegabyte)} MB)`;
}

/** Only what somebody may notice. */
function effectLine(effect: Effect): string[] {
  const { what, table, lock, work, breaks } = effect;
  if (lock === 'none' && work === 'short' && breaks === null) return [];
  const where = table === null ? what : `${what}, on ${table}${sizeText(effect)}`;
  return [`  ${where}: ${locks[lock]} ${works[work]}`];
}

function standing({ breaking }: PlannedMigration): string {
  if (breaking === null) return 'compatible: processes of the release before go on working';
  return `BREAKING: ${breaking.why}. Stop every process that knows less than schema ${breaking.serves} first`;
}

function describe(migration: PlannedMigration): string[] {
  const { name, creates, effects, isTransactional } = migration;
  return [
    name,
    `  ${standing(migration)}`,
    ...(isTransactional ? [] : ['  not in a transaction: ended half way, it is run again']),
    ...(creates.length === 0 ? [] : [`  new tables: ${creates.join(', ')}`]),
    ...effects.flatMap(effectLine),
  ];
}

/** What `migrate --plan` prints. */
export function describePlan(planned: readonly PlannedMigration[]): string {
  if (planned.length === 0) return 'the schema is up to date\n';
  const names = planned.map(({ name }) => name).join(', ');
  return `${[`would run ${names}`, '', ...planned.flatMap(describe)].join('\n')}\n`;
}
