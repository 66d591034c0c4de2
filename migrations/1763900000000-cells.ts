import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which cell a database belongs to (design.md section 10). */
export class Cells1763900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- The share of the members that this database holds: cell_index of cell_count. NULL until a process consumes into it.
ALTER TABLE installation ADD COLUMN cell_index int, ADD COLUMN cell_count int;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
