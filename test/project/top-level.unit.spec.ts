import { execFileSync } from 'node:child_process';
import { itUnless, missingCommands } from '#test-support';

import { projectRoot } from './planted-tree.js';

const folders = ['apps', 'libs', 'migrations', 'test', 'deploy', 'docs'];
const files = [
  'docker-compose.yml',
  'nest-cli.json',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
];

/** Names at the top level of a list of paths that do not belong there. Dot files and dot folders are settings of tools. */
function strangers(paths: readonly string[]): readonly string[] {
  const belongs = (path: string): boolean => {
    const [name = '', ...inside] = path.split('/');
    return name.startsWith('.') || (inside.length > 0 ? folders : files).includes(name);
  };
  return paths.filter((path) => !belongs(path));
}

const trackedFiles = (): readonly string[] => {
  const list = execFileSync('git', ['ls-files', '--cached', '-z'], { cwd: projectRoot, encoding: 'utf8' });
  return list.split('\0').filter((path) => path !== '');
};

describe('the top level of the project', () => {
  itUnless(missingCommands('git'))('holds what it has room for, and nothing else', () => {
    const tracked = trackedFiles();
    expect(tracked).toContain('package.json');
    expect(strangers(tracked)).toEqual([]);
  });

  it.each(['jest.config.js', 'lint/rules.js', 'Makefile', 'libs', 'package.json/a'])('would refuse %s', (path) => {
    expect(strangers([path])).toEqual([path]);
  });
});
