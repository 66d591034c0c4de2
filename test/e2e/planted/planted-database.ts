import { randomBytes } from 'node:crypto';

import pg from 'pg';

import type { TestDatabase } from '#test-support';

import { queryOnce } from '../store.js';
import type { Shown } from './planted-values.js';
import { personal, secrets } from './planted-values.js';

/** A user of the database whose password is one of the planted secrets. */
export interface PlantedUser {
  readonly url: string;
  drop(): Promise<void>;
}

/** Quotes what it refuses, as constraints do: a member's row, and twice an outcome together with a person's values. */
const quotingTriggers = `
CREATE SEQUENCE quoted;
CREATE FUNCTION quote_member() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.member_id NOT LIKE '%-database' THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'cannot take %', NEW.member_id USING ERRCODE = '23514', DETAIL = 'Failing row: ' || NEW::text;
END $$;
CREATE FUNCTION quote_outcome() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.type <> 'AttemptRejected' OR nextval('quoted') > 2 THEN RETURN NEW; END IF;
  RAISE EXCEPTION '${personal.firstName} ${personal.email}' USING ERRCODE = '22000',
    DETAIL = 'Key (email)=(${personal.email}) in ' || NEW::text, HINT = '${personal.phone}';
END $$;
CREATE TRIGGER quote_member BEFORE INSERT ON member FOR EACH ROW EXECUTE FUNCTION quote_member();
CREATE TRIGGER quote_outcome BEFORE INSERT ON intent_event FOR EACH ROW EXECUTE FUNCTION quote_outcome();`;

/** Makes the database quote, and a user with a planted password. */
export async function plantInDatabase({ url, adminUrl }: TestDatabase): Promise<PlantedUser> {
  const owner = pg.escapeIdentifier(new URL(url).username);
  const name = pg.escapeIdentifier(`planted_${randomBytes(4).toString('hex')}`);
  const password = pg.escapeLiteral(secrets.databasePassword);
  await queryOnce(url, quotingTriggers);
  await queryOnce(adminUrl, `CREATE ROLE ${name} LOGIN PASSWORD ${password} IN ROLE ${owner}`);
  const planted = new URL(url);
  planted.username = name.replaceAll('"', '');
  planted.password = secrets.databasePassword;
  const drop = async (): Promise<void> => {
    // Daemons make partitions ahead: theirs are the database's, which goes as a whole.
    await queryOnce(adminUrl, `REASSIGN OWNED BY ${name} TO CURRENT_USER; DROP OWNED BY ${name}; DROP ROLE ${name}`);
  };
  return { url: planted.href, drop };
}

/** Every row of every table as text; bytes show as hex. */
export async function showTables(url: string): Promise<Shown[]> {
  const tables = await queryOnce<{ name: string }>(
    url,
    `SELECT c.relname AS name FROM pg_class c
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY 1`,
  );
  const shown: Shown[] = [];
  for (const { name } of tables) {
    const rows = await queryOnce<{ row: string }>(url, `SELECT t::text AS row FROM ${pg.escapeIdentifier(name)} t`);
    if (rows.length > 0) shown.push({ where: `table ${name}`, text: rows.map(({ row }) => row).join('\n') });
  }
  return shown;
}
