import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
}

const stepsOfScript = [...readFileSync('.ci/run', 'utf8').matchAll(/^step ([a-z-]+) /gm)].map((match) => match[1]);
const { jobs } = parse(readFileSync('.github/workflows/ci.yml', 'utf8')) as Workflow;

it('the hosted workflow runs every step of .ci/run, and names none that is not there', () => {
  const commands = Object.values(jobs).flatMap(({ steps }) => steps.map(({ run }) => run ?? ''));
  const chosen = commands.flatMap((run) => /^bash \.ci\/run (.+)$/.exec(run)?.[1]?.split(' ') ?? []);
  expect(stepsOfScript.length).toBeGreaterThan(8);
  expect([...new Set(chosen)].sort()).toEqual([...stepsOfScript].sort());
});
