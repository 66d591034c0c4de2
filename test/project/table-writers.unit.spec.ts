import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot } from './planted-tree.js';

/** What is true of members and their intents, and what is derived from it: written under a lane's lock. */
const ownedByIntents = ['intent', 'intent_event', 'lane', 'member', 'member_key', 'dedup', 'kafka_offset'];

const write = /\b(?:INSERT INTO|UPDATE|DELETE FROM|TRUNCATE|MERGE INTO)\s+(?:ONLY\s+)?(\w+)/gi;

/** Owned tables that the text writes. */
function ownedWrites(text: string): string[] {
  return [...text.matchAll(write)].map(([, table = '']) => table).filter((table) => ownedByIntents.includes(table));
}

/** Paths from the checkout's root; a machine may lack git. */
function sourcesOf(...folders: readonly string[]): string[] {
  const isSource = (path: string): boolean => path.endsWith('.ts') && !/\.spec\.ts$|\/testing\//.test(path);
  return folders.flatMap((folder) =>
    readdirSync(join(projectRoot, folder, 'src'), { recursive: true, encoding: 'utf8' })
      .map((path) => join(folder, 'src', path))
      .filter(isSource),
  );
}

describe('who writes the truth', () => {
  it('is libs/intents alone', () => {
    const sources = sourcesOf(
      'libs/operations',
      'libs/events',
      'libs/kafka',
      'libs/gateway',
      'libs/outbox',
      'apps/daemon',
    );
    expect(sources.length).toBeGreaterThan(100);
    const foreign = sources.map((path) => ({
      path,
      tables: ownedWrites(readFileSync(join(projectRoot, path), 'utf8')),
    }));
    expect(foreign.filter(({ tables }) => tables.length > 0)).toEqual([]);
  });

  it('is told from reading, and from writing a table with a longer name', () => {
    expect(ownedWrites('SELECT 1 FROM lane; UPDATE lane_start SET x = 1; INSERT INTO job (a) VALUES (1)')).toEqual([]);
    expect(ownedWrites('WITH a AS (INSERT INTO intent_event\n(x) SELECT 1) UPDATE ONLY lane SET x = 1')).toEqual([
      'intent_event',
      'lane',
    ]);
  });
});
