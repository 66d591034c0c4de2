import { PostgresConnection, SystemClock, SystemRandom } from '#platform';
import type { TestDatabase } from '#test-support';
import { queryOnce, testDatabase } from '#test-support';

import { ProgramMoves } from './program-moves.js';

describe('a process', () => {
  let test: TestDatabase;
  let connection: PostgresConnection;

  beforeAll(async () => {
    test = await testDatabase();
    const settings = { poolSize: 2, ssl: false as const, applicationName: 'moves-spec', migrations: [] };
    connection = new PostgresConnection({ url: test.url, ...settings, onPoolError: () => undefined });
    await connection.connect();
  });

  afterAll(async () => {
    await connection.close();
    await test.dispose();
  });

  it('forgets the cards of programs that have moved, one after the other, in batches, and of no others', async () => {
    // More than are forgotten at once.
    await queryOnce(
      test.ownerUrl,
      `INSERT INTO lane (lane_id, program_id, pass) SELECT g, 'club', 'known' FROM generate_series(1, 5001) g;
       INSERT INTO lane (lane_id, program_id, pass) VALUES (6001, 'club', 'unknown'), (6002, 'tea', 'known'), (6003, 'rum', 'known');
       INSERT INTO program_move (program_id, at) VALUES ('club', now()), ('tea', now())`,
    );
    const logged: unknown[] = [];
    const log = (fields: object): void => void logged.push(fields);
    const logger = { debug: log, info: log, warn: log, error: log };
    const { database } = connection;
    const moves = new ProgramMoves({ database, clock: new SystemClock(), random: new SystemRandom(), logger });
    const waits: number[] = [];
    for (let turn = 0; turn < 6; turn += 1) waits.push(await moves.turn());
    expect(waits).toEqual([0, 0, 0, 0, 0, 2_000]);
    expect(logged).toEqual([{ program: 'club' }, { program: 'tea' }]);
    const rows = await queryOnce(
      test.ownerUrl,
      `SELECT program_id AS program, pass, count(*)::int FROM lane GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    expect(rows).toEqual([
      { program: 'club', pass: 'absent', count: 5_001 },
      { program: 'club', pass: 'unknown', count: 1 },
      { program: 'rum', pass: 'known', count: 1 },
      { program: 'tea', pass: 'absent', count: 1 },
    ]);
  });
});
