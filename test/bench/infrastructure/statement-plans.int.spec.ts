import pg from 'pg';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#embedded';
import { forgetStatements, readStatements, statementSettings } from './statement-costs.js';
import { explainStatements, parseLogLine, planSettings, readPlans } from './statement-plans.js';

describe('the plans of statements', () => {
  let server: EmbeddedPostgres;
  let admin: pg.Client;

  beforeAll(async () => {
    const settings = [...statementSettings, ...planSettings];
    server = await startEmbeddedPostgres({ database: 'followed', durable: false, settings });
    admin = new pg.Client({ connectionString: server.adminUrl });
    await admin.connect();
  });

  afterAll(async () => {
    await admin.end();
    await server.stop();
  });

  it('are those of what the sessions of a database sent, under the number of the statement', async () => {
    await explainStatements(admin, 'followed');
    await forgetStatements(admin);
    const session = new pg.Client({ connectionString: server.url });
    await session.connect();
    // One in five is looked at: that none of 200 is has a chance of 4e-20.
    for (let index = 0; index < 200; index += 1) {
      await session.query('SELECT sum(n)\nFROM generate_series(1, $1::int) AS n', [index]);
    }
    await session.end();
    const plans = await readPlans(admin, 'followed');
    const cost = (await readStatements(admin, 'followed')).find(({ text }) => text.startsWith('SELECT sum(n) FROM'));
    const plan = plans.find(({ queryId }) => queryId === cost?.queryId);
    expect(plan?.text).toMatch(/^Aggregate {2}\(cost=.*\(actual time=[^]*Function Scan on generate_series/);
    expect(await readPlans(admin, 'postgres')).toEqual([]);
  });

  it('are not looked for in lines that tell of something else', () => {
    expect(parseLogLine('', 'followed')).toBeNull();
    expect(parseLogLine('{"message":"database system is ready","dbname":"followed"}', 'followed')).toBeNull();
  });
});
