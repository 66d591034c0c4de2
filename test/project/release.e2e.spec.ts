import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { describeUnless, missingCommands } from '#test-support';

import { projectRoot } from './planted-tree.js';

const run = promisify(execFile);
const version = '98.7.6';
/** npm makes a bill of materials in a second or two. */
const releaseMs = 120_000;

const missing = missingCommands('bash', 'git', 'tar', 'gzip', 'sha256sum', 'npm');

describeUnless(missing, '.ci/release', () => {
  let room: string;
  let checkout: string;

  const shell = async (script: string): Promise<string> =>
    (await run('bash', ['-c', script], { cwd: checkout, timeout: releaseMs })).stdout;
  const commit = (message: string): Promise<string> =>
    shell(`git add --all && git -c user.name=a -c user.email=a@shop.example.org commit --quiet --message '${message}'`);
  const release = (folder: string): Promise<string> => shell(`bash .ci/release ${join(room, folder)}`);
  const refusal = async (folder: string): Promise<string> => {
    const error: unknown = await release(folder).catch((thrown: unknown) => thrown);
    return String((error as { stderr?: unknown }).stderr);
  };
  const change = async (path: string, ...replaced: readonly (readonly [RegExp, string])[]): Promise<void> => {
    const text = await readFile(join(checkout, path), 'utf8');
    const changed = replaced.reduce((left, [from, to]) => left.replace(from, to), text);
    await writeFile(join(checkout, path), changed);
  };

  beforeAll(async () => {
    room = await mkdtemp(join(tmpdir(), 'loyaltyd-release-'));
    checkout = join(room, 'checkout');
    await run('git', ['clone', '--quiet', '--no-tags', projectRoot, checkout]);
    // The script of this very tree, also where it is not committed yet.
    await writeFile(join(checkout, '.ci/release'), await readFile(join(projectRoot, '.ci/release')));
    await shell(`npm version --no-git-tag-version ${version}`);
    await change('deploy/helm/loyaltyd/Chart.yaml', [/^version: .*$/m, `version: ${version}`]);
    await change('deploy/helm/loyaltyd/Chart.yaml', [/^appVersion: .*$/m, `appVersion: '${version}'`]);
    await change('CHANGELOG.md', [/^## \[Unreleased\]$/m, `## [Unreleased]\n\n## [${version}] - 2026-11-26`]);
    await commit('a release');
  }, releaseMs);

  afterAll(() => rm(room, { recursive: true, force: true }));

  it(
    'makes source, chart, bill of materials and where they come from, the same twice',
    async () => {
      const name = `loyaltyd-${version}`;
      expect(await release('one')).toContain(`git tag --annotate v${version}`);
      expect(await readdir(join(room, 'one'))).toEqual([
        ...['SHA256SUMS', `${name}-chart.tgz`, `${name}-source.tar.gz`, `${name}.cdx.json`, `${name}.provenance.json`],
      ]);
      expect(await shell(`cd ${join(room, 'one')} && sha256sum --check --quiet SHA256SUMS`)).toBe('');
      const chart = await shell(`tar -xzOf ${join(room, 'one', `${name}-chart.tgz`)} loyaltyd/Chart.yaml`);
      expect(chart).toContain(`\nversion: ${version}\n`);
      const source = await shell(`tar -tzf ${join(room, 'one', `${name}-source.tar.gz`)}`);
      expect(source).toContain(`${name}/apps/cli/bin/loyaltyd.js\n`);

      const json = async (path: string): Promise<unknown> =>
        JSON.parse(await readFile(join(room, 'one', path), 'utf8'));
      const head = (await shell('git rev-parse HEAD')).trim();
      expect(await json(`${name}.provenance.json`)).toMatchObject({ version, commit: head, image: null });
      const bill = (await json(`${name}.cdx.json`)) as { readonly components: readonly { readonly name: string }[] };
      const parts = bill.components.map((component) => component.name);
      expect(parts).toEqual(expect.arrayContaining(['kafkajs', 'pg', 'typeorm', 'zod']));
      expect(parts).not.toContain('jest');

      await release('two');
      const sums = await Promise.all(
        ['one', 'two'].map((folder) => readFile(join(room, folder, 'SHA256SUMS'), 'utf8')),
      );
      expect(sums[0]).toBe(sums[1]);
    },
    releaseMs,
  );

  it('refuses what is not committed, and a folder that is there', async () => {
    await appendFile(join(checkout, 'README.md'), '\n');
    expect(await refusal('three')).toContain('something is not committed');
    await shell('git checkout --quiet README.md');
    expect(await refusal('.')).toContain('is there already');
  });

  it('refuses a tag that is another commit', async () => {
    await shell(`git tag v${version} HEAD^`);
    expect(await refusal('three')).toContain(`v${version} is another commit`);
    await shell(`git tag --delete v${version}`);
  });

  it.each([
    ["package-lock.json's version", 'package-lock.json', /"version": "98\.7\.6"/, '"version": "98.7.5"'],
    ['unreleased changes', 'CHANGELOG.md', /^## \[Unreleased\]$/m, '## [Unreleased]\n\n- Something.'],
    ['newest section is not', 'CHANGELOG.md', /^## \[98\.7\.6\]/m, '## [98.7.5]'],
    ["chart's version is not", 'deploy/helm/loyaltyd/Chart.yaml', /^version: .*$/m, 'version: 98.7.5'],
    ["chart's appVersion is not", 'deploy/helm/loyaltyd/Chart.yaml', /^appVersion: .*$/m, "appVersion: '98.7.5'"],
  ])('refuses where it says: %s', async (why, path, from, to) => {
    await change(path, [from, to]);
    await commit('not to be released');
    expect(await refusal('three')).toContain(why);
    await shell('git reset --quiet --hard HEAD^');
  });
});
