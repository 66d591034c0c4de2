import { existsSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { plantTree, type PlantedTree } from './planted-tree.js';

describe('apps/cli/bin/compiled.js', () => {
  let tree: PlantedTree;
  const compiled = async (action: string, part = 'server'): Promise<number> =>
    (await tree.run('apps/cli/bin/compiled.js', [action, part])).exitCode;
  const exists = (path: string): boolean => existsSync(join(tree.root, path));

  beforeEach(async () => {
    tree = await plantTree();
    await tree.plant({
      'libs/a/src/kept.ts': 'export {};\n',
      'dist/libs/a/src/kept.js': '',
      'dist/libs/a/src/kept.js.map': '',
      'dist/libs/a/src/gone.js': '',
      'dist/libs/a/src/gone.js.map': '',
    });
  });

  afterEach(async () => tree.remove());

  it('removes what has no source any more', async () => {
    await compiled('seal');
    expect(exists('dist/libs/a/src/kept.js')).toBe(true);
    expect(exists('dist/libs/a/src/kept.js.map')).toBe(true);
    expect(exists('dist/libs/a/src/gone.js')).toBe(false);
    expect(exists('dist/libs/a/src/gone.js.map')).toBe(false);
  });

  it('asks for a build before the first one, and after a source has changed', async () => {
    expect(await compiled('check')).toBe(1);
    await compiled('seal');
    expect(await compiled('check')).toBe(0);
    const later = new Date(Date.now() + 60_000);
    await utimes(join(tree.root, 'libs/a/src/kept.ts'), later, later);
    expect(await compiled('check')).toBe(1);
  });

  it('does not build again for a spec', async () => {
    await tree.plant({ 'libs/a/src/kept.unit.spec.ts': '' });
    await compiled('seal');
    const later = new Date(Date.now() + 60_000);
    await utimes(join(tree.root, 'libs/a/src/kept.unit.spec.ts'), later, later);
    expect(await compiled('check')).toBe(0);
  });

  it('leaves the built console alone, and asks for its build for what is of it alone', async () => {
    await tree.plant({
      'apps/console/index.html': '',
      'apps/console/src/tokens.css': '',
      'dist/console/assets/index-1.js': '',
    });
    expect(await compiled('check', 'console')).toBe(1);
    await compiled('seal');
    await compiled('seal', 'console');
    expect(exists('dist/console/assets/index-1.js')).toBe(true);
    expect(await compiled('check', 'console')).toBe(0);
    const later = new Date(Date.now() + 60_000);
    await utimes(join(tree.root, 'apps/console/src/tokens.css'), later, later);
    expect([await compiled('check'), await compiled('check', 'console')]).toEqual([0, 1]);
  });

  // It ended with 0: the demo went on with the console of an earlier build, or none.
  it('fails loudly where the console cannot be built', async () => {
    const scripts = { 'build:console': 'echo "Could not resolve ./gone.js" >&2; exit 1' };
    await tree.plant({ 'package.json': JSON.stringify({ type: 'module', scripts }), 'apps/console/index.html': '' });
    await compiled('seal');
    const { exitCode, stderr } = await tree.run('apps/cli/bin/compiled.js', ['provide', 'console']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/Could not resolve \.\/gone\.js\n.*building the console failed/s);
  });

  it('asks for no console where there is none to build', async () => {
    expect(await compiled('check', 'console')).toBe(0);
  });
});
