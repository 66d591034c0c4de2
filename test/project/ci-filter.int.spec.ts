import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
/** The option as the script gives it: jest takes a path without its dot for a package. */
const option = /--filter=\S+(?=\))/.exec(readFileSync(join(root, '.ci/run'), 'utf8'))?.[0] ?? '';

type Test = 'passed' | 'pending';

describe('the second run of the tests of `.ci/run`', () => {
  const folder = mkdtempSync(join(tmpdir(), 'loyaltyd-filter-'));
  const report = join(folder, 'readme.json');

  afterAll(() => rmSync(folder, { recursive: true }));

  const listedAfter = (first: Readonly<Record<string, readonly Test[]>>): readonly string[] => {
    const testResults = Object.entries(first).map(([path, statuses]) => ({
      name: `/rooms/loyaltyd/${path}`,
      status: 'passed',
      assertionResults: statuses.map((status) => ({ status })),
    }));
    writeFileSync(report, JSON.stringify({ testResults }));
    const args = [join(root, '.config/run-tests.js'), 'all', '--listTests', option];
    const { stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, README_REPORT: report },
    });
    const listed = stdout.split('\n').flatMap((line) => (line.startsWith(root) ? [relative(root, line)] : []));
    if (listed.length === 0) throw new Error(`no test is listed: ${stderr}`);
    return listed;
  };

  it('leaves out what the first has passed, but not what had a test left out or may speak to Kafka', () => {
    const passed = 'libs/intents/src/store/batch/recording.unit.spec.ts';
    const leftOut = 'libs/platform/src/errors.unit.spec.ts';
    const withKafka = 'libs/events/src/ingest/publishing/outcomes.int.spec.ts';
    const listed = listedAfter({ [passed]: ['passed'], [leftOut]: ['passed', 'pending'], [withKafka]: ['passed'] });
    expect(listed).not.toContain(passed);
    expect(listed).toEqual(expect.arrayContaining([leftOut, withKafka]));
    expect(listedAfter({})).toHaveLength(listed.length + 1);
  });
});
