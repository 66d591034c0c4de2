import { existsSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { plantTree, type PlantedTree } from './planted-tree.js';

describe('apps/cli/bin/compiled.js', () => {
  let tree: PlantedTree;
  const compiled = async (action: string): Promise<number> =>
    (await tree.run('apps/cli/bin/compiled.js', [action])).exitCode;
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
});
