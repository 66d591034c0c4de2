import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { dockerfileText, execForm, projectRoot, readStages } from './dockerfile.js';

const stages = readStages();
const stageNames = stages.map(({ name }) => name);
const steps = (target: string): readonly string[] =>
  stages.filter(({ name }) => name === target).flatMap((stage) => stage.steps.map(({ keyword }) => keyword));

describe('deploy/docker/Dockerfile', () => {
  it('has nothing for the linter to say', () => {
    expect(validate(dockerfileText()).map(({ message, range }) => ({ line: range.start.line + 1, message }))).toEqual(
      [],
    );
  });

  it('would be complained about with a misspelt instruction', () => {
    expect(validate(dockerfileText().replace('\nWORKDIR', '\nWORKDRI'))).not.toEqual([]);
  });

  it('takes the Node that the tests run on, from the one image whose digest it names', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    const images = stages.map(({ base }) => base).filter((base) => base.startsWith('node:'));
    expect(new Set(images).size).toBe(1);
    expect(images[0]).toMatch(new RegExp(`^node:${devDependencies['node']}-bookworm-slim@sha256:[\\da-f]{64}$`));
  });

  it('builds upon stages that come before', () => {
    const known = (at: number): readonly string[] => stageNames.slice(0, at);
    const bases = stages.flatMap(({ base, steps: own }, at) =>
      [base, ...own.flatMap(({ from }) => from ?? [])].filter(
        (name) => !/^(node:|scratch$)/.test(name) && !known(at).includes(name),
      ),
    );
    expect(bases).toEqual([]);
  });

  it('ends with the daemon, which runs as nobody in particular and has a probe', () => {
    expect(stageNames.at(-1)).toBe('loyaltyd');
    expect(steps('runtime')).toContain('USER');
    for (const target of ['loyaltyd', 'wallet-sandbox']) {
      expect(steps(target)).toEqual(expect.arrayContaining(['HEALTHCHECK', 'ENTRYPOINT']));
      expect(steps(target)).not.toContain('USER');
    }
    expect(execForm(stages.at(-1)?.steps.find(({ keyword }) => keyword === 'CMD'))).toEqual(['start']);
  });
});

describe('docker-compose.yml', () => {
  const { services } = parse(readFileSync(join(projectRoot, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
    services: Record<string, { build?: { target?: string }; read_only?: boolean }>;
  };

  it('builds targets that exist, and lets them write nowhere', () => {
    const built = Object.values(services).filter(({ build }) => build !== undefined);
    expect(built.map(({ build }) => build?.target).sort()).toEqual(['loyaltyd', 'wallet-sandbox']);
    expect(built.map(({ read_only }) => read_only)).toEqual([true, true]);
  });
});
