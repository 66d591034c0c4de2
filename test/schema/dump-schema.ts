import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { stopParts, testDatabase } from '#test-support';

import { describeSchema, lineDifference } from './describe-schema.js';

const usage = `Usage: npm run schema:dump | npm run schema:check

Writes the schema that the migrations make of an empty database to test/schema.sql (schema:dump), or compares it with
that file (schema:check: exit 1 and the difference when they drift apart).`;

const file = join(process.cwd(), 'test', 'schema.sql');

async function migratedSchema(): Promise<string> {
  const database = await testDatabase();
  try {
    return await describeSchema(database.ownerUrl);
  } finally {
    await database.dispose();
  }
}

async function main(flags: readonly string[]): Promise<number> {
  if (flags.includes('--help')) {
    console.log(usage);
    return 0;
  }
  const actual = await migratedSchema();
  if (!flags.includes('--check')) {
    await writeFile(file, actual);
    return 0;
  }
  const difference = lineDifference(await readFile(file, 'utf8').catch(() => ''), actual);
  if (difference === '') return 0;
  console.error(
    `test/schema.sql (-) is not what the migrations make (+); npm run schema:dump writes it anew.\n${difference}`,
  );
  return 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} finally {
  await stopParts();
}
