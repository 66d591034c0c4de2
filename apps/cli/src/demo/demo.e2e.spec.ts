import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const demoTimeoutMs = 110_000;

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** As a person starts it; npm's own banner is left out of standard output. */
const demo = (...words: readonly string[]): Promise<Run> =>
  new Promise((resolve, reject) => {
    const args = ['run', '--silent', 'demo', '--', ...words];
    const options = { cwd: root, timeout: demoTimeoutMs, env: { ...process.env, NODE_OPTIONS: '' } };
    execFile('npm', args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ code, stdout, stderr });
      else reject(new Error(`the demo did not end: ${stderr}`, { cause: error }));
    });
  });

describe('npm run demo', () => {
  it('delivers a shop’s traffic, in order, nothing lost, nothing twice, by the partner’s own ledger', async () => {
    const { code, stdout, stderr } = await demo('--once', '--events', '200', '--json');

    expect(stderr).toContain('demo profile: inFlightMs 3000, missingPass.waitMs 5000');
    expect(stderr).not.toContain('demo: ');
    const figures = JSON.parse(stdout) as Record<string, number>;
    expect(figures).toEqual({
      events: 200,
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

  it.each([[['--json']], [['--events', '10']], [['--once', '--events', '0']], [['--never']]])(
    'refuses %j as wrong usage',
    async (words) => {
      const { code, stdout, stderr } = await demo(...words);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('error: ');
    },
  );
});
