import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import { waitUntil } from '#embedded';
import { checkoutRoot, kafkaClient } from '#test-support';

import type { RetailersReport } from '../judge/report.js';
import { askRetailer } from '../judge/wiring/ask-both.js';
import { readRun } from '../reading/run.js';
import { byNpm, Demo, demoMsMax, itself } from './demo-run.js';
import { outcomesPublished } from './judge-run.js';

const events = 200;

async function judged(demo: Demo): Promise<RetailersReport> {
  const [database = ''] = demo.shown('postgres').split(' ');
  const [brokers = ''] = demo.shown('kafka').split(' ');
  await outcomesPublished(database);
  const run = await readRun({
    kafka: kafkaClient({ brokers }),
    topics: {
      sources: ['loyalty.members', 'loyalty.purchases', 'loyalty.rewards'],
      outcomes: 'loyalty.outcomes',
    },
    databaseUrl: database,
    encryptionKey: null,
    partnerDatabaseUrl: database,
  });
  const programs = await readFile(demo.shown('programs').split(' in ').at(-1) ?? '', 'utf8');
  return askRetailer(run, { programs }, 0);
}

describe('npm run demo', () => {
  it('delivers a shop’s traffic, in order, nothing lost, nothing twice, by the partner’s own ledger', async () => {
    await promisify(execFile)('npm', ['run', '--silent', 'build:if-stale'], { cwd: checkoutRoot });
    const demo = new Demo(itself, ['--once', '--events', String(events), '--json', '--stay', '--no-troubles']);
    try {
      const isAudited = (): boolean => demo.said.stderr.includes('Ctrl-C stops everything') || demo.hasEnded;
      await waitUntil(isAudited, { what: 'the audit', timeoutMs: demoMsMax });
      expect(demo.hasEnded).toBe(false);
      const retailer = await judged(demo);
      expect(retailer).toMatchObject({ first: [], unbounded: [], judged: { records: events } });
      expect(retailer.judged.sales).toBeGreaterThan(50);
    } finally {
      demo.pressCtrlC();
    }

    const code = await demo.ended();
    const { stdout, stderr } = demo.said;
    expect(stderr).toContain('demo profile: inFlightMs 3000, missingPass.waitMs 5000');
    expect(stderr).not.toContain('demo: ');
    const figures = JSON.parse(stdout) as Record<string, number>;
    expect(figures).toEqual({
      events,
      intents: expect.any(Number) as number,
      delivered: expect.any(Number) as number,
      parked: expect.any(Number) as number,
      quarantined: expect.any(Number) as number,
      duplicatesAtPartner: 0,
      outOfOrderAtPartner: 0,
      lost: 0,
      seconds: expect.any(Number) as number,
    });
    expect(figures['delivered']).toBeGreaterThan(120);
    expect(figures['parked']).toBeGreaterThan(0);
    expect(figures['quarantined']).toBeGreaterThan(10);
    expect(code).toBe(0);
  });

  it.each([[['--json']], [['--events', '10']], [['--stay']], [['--once', '--events', '0']], [['--never']]])(
    'refuses %j as wrong usage',
    async (words) => {
      const demo = new Demo(byNpm, words);
      const code = await demo.ended();
      expect({ code, stdout: demo.said.stdout }).toEqual({ code: 2, stdout: '' });
      expect(demo.said.stderr).toContain('error: ');
    },
  );
});
