import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A name that an identity provider tells may change hands: the audit keeps what does not, and which request it was. */
export class OperatorSubjects1796200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Small: a row for each action of a person. Both may be null: of tokens of OPS_TOKENS, of jobs, of what is older.
-- subject: issuer and sub of the token, with a space between them.
ALTER TABLE operator_action ADD COLUMN subject text, ADD COLUMN request_id text;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
