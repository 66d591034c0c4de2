import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
}

const workflow = readFileSync('.github/workflows/ci.yml', 'utf8');

const stepsOfScript = [...readFileSync('.ci/run', 'utf8').matchAll(/^step ([a-z-]+) /gm)].map((match) => match[1]);
const { jobs } = parse(workflow) as Workflow;

it('the hosted workflow runs every step of .ci/run, and names none that is not there', () => {
  const commands = Object.values(jobs).flatMap(({ steps }) => steps.map(({ run }) => run ?? ''));
  const chosen = commands.flatMap((run) => /^bash \.ci\/run (.+)$/.exec(run)?.[1]?.split(' ') ?? []);
  expect(stepsOfScript.length).toBeGreaterThan(8);
  expect([...new Set(chosen)].sort()).toEqual([...stepsOfScript].sort());
});

it('names every action by commit, with the tag that it had', () => {
  const uses = workflow.match(/uses:.*/g) ?? [];
  expect(uses.length).toBeGreaterThan(3);
  expect(uses.filter((line) => !/^uses: [\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});
