import type { ReadMigration, StatementEffect } from '#platform';

/** Grow with the traffic or with the members: what takes as long as they are big stops everybody for as long. */
const bigTables: ReadonlySet<string> = new Set([
  'intent',
  'intent_event',
  'intent_standing',
  'dedup',
  'lane',
  'member',
  'member_key',
  'quarantine',
  'job_item',
  'job_line',
]);

type Rule = (effect: StatementEffect, migration: ReadMigration) => string | null;

function isBig({ table }: StatementEffect): boolean {
  return table !== null && bigTables.has(table);
}

const rules: readonly Rule[] = [
  ({ breaks }, { breaking }) =>
    breaks !== null && breaking === null ? `takes away ${breaks} and is not marked as breaking` : null,
  (effect) =>
    isBig(effect) && effect.lock === 'writers' && effect.work === 'reads-table'
      ? 'builds an index without CONCURRENTLY on a big table'
      : null,
  (effect) =>
    isBig(effect) && effect.lock === 'everybody' && effect.work !== 'short'
      ? 'stops everybody for as long as a big table is big'
      : null,
  (effect) =>
    isBig(effect) && effect.work === 'changes-rows'
      ? 'changes as many rows as a big table has, in one transaction'
      : null,
  ({ what, lock, work }, { isTransactional }) =>
    !isTransactional && ((lock !== 'schema' && lock !== 'none') || work === 'unknown') && !/CONCURRENTLY/i.test(what)
      ? 'does more than build an index outside a transaction'
      : null,
];

/** What a migration does that docs/upgrades.md does not allow, one line each. */
export function brokenRules(migration: ReadMigration): string[] {
  const broken = migration.effects.flatMap((effect) =>
    rules.flatMap((rule) => {
      const why = rule(effect, migration);
      return why === null ? [] : [`${effect.what}: ${why}`];
    }),
  );
  const { breaking, name } = migration;
  const isLater = breaking !== null && breaking.serves > Number(name.slice(-13));
  return isLater ? [...broken, 'serves only programs that are newer than itself'] : broken;
}
