import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';

import { describeUnless } from '#test-support';

export const projectRoot = resolve(import.meta.dirname, '../..');
export const chartFolder = join(projectRoot, 'deploy/helm/loyaltyd');
const programsFile = join(projectRoot, 'deploy/compose/loyaltyd.yaml');
const lookMs = 10_000;
const buildMs = 900_000;

interface Found {
  readonly path: string | null;
  readonly reason: string;
}

/** Helm, unless nobody has built it yet: that takes minutes, so only `.ci/run` (REQUIRE_HELM) does it unasked. */
function findHelm(): Found {
  const isRequired = process.env['REQUIRE_HELM'] === '1';
  const script = spawnSync(join(projectRoot, '.ci/helm'), isRequired ? [] : ['--have'], {
    encoding: 'utf8',
    timeout: isRequired ? buildMs : lookMs,
  });
  if (script.status === 0) return { path: script.stdout.trim(), reason: '' };
  if (isRequired) throw new Error(`REQUIRE_HELM is set, and there is no Helm: ${script.stderr}`);
  return {
    path: null,
    reason: `no Helm: ${script.stderr.trim().replace(/^.*bash.*$/, 'no bash on the PATH: install it, then bash .ci/helm builds it')}`,
  };
}

const helm = findHelm();

/** A `describe` that needs Helm, also while it is described: cases come from what is rendered. */
export const describeWithHelm = (title: string, body: () => void): void =>
  describeUnless(helm.path === null ? helm.reason : null, title, body);

/** Runs Helm; throws with what it said on standard error. */
export const runHelm = (args: readonly string[]): string =>
  execFileSync(helm.path ?? 'helm', args, {
    encoding: 'utf8',
    stdio: 'pipe',
    env: { PATH: process.env['PATH'], HOME: tmpdir(), HELM_CACHE_HOME: tmpdir() },
  });

/** An object of Kubernetes, as rendered. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly [part: string]: unknown;
}

export interface Rendering {
  /** Names in profiles/, each over the one before; default: `minimal`. */
  readonly profiles?: readonly string[];
  /** Values over these. */
  readonly values?: object;
  /** Default: with a programs file. */
  readonly hasPrograms?: boolean;
  /** Another copy of the chart. */
  readonly chart?: string;
  /** Version of the cluster. */
  readonly kubernetes?: string;
}

/** A copy of the chart with further files, for as long as `use` runs. */
export function withChartCopy<T>(files: Readonly<Record<string, string | null>>, use: (chart: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'loyaltyd-chart-'));
  try {
    cpSync(chartFolder, folder, { recursive: true });
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      if (text === null) rmSync(join(folder, path), { recursive: true, force: true });
      else writeFileSync(join(folder, path), text);
    }
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The options that both `helm template` and `helm lint` take. */
function valueOptions({ profiles = ['minimal'], values = {}, hasPrograms = true }: Rendering): string[] {
  const files = profiles.flatMap((name) => ['--values', join(chartFolder, `profiles/${name}.yaml`)]);
  const json = Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`]);
  const programs = hasPrograms ? ['--set-file', `programs.text=${programsFile}`] : [];
  return [...files, ...programs, ...json];
}

/** What `helm template` makes of the chart. */
export function render(rendering: Rendering = {}): readonly Manifest[] {
  const { chart = chartFolder, kubernetes = '1.37.0' } = rendering;
  const options = ['--namespace', 'shop', '--kube-version', kubernetes, ...valueOptions(rendering)];
  const text = runHelm(['template', 'loyaltyd', chart, ...options]);
  return parseAllDocuments(text).flatMap((document) => {
    const value = document.toJS() as Manifest | null;
    if (document.errors.length > 0) throw document.errors[0]!;
    return value === null ? [] : [value];
  });
}

export const lint = (rendering: Rendering = {}): string =>
  runHelm(['lint', '--strict', rendering.chart ?? chartFolder, ...valueOptions(rendering)]);

/** Why Helm refuses to render. */
export function refusal(rendering: Rendering): string {
  try {
    render(rendering);
  } catch (error) {
    return String((error as { stderr?: unknown }).stderr);
  }
  throw new Error('it was rendered');
}

export const ofKind = (manifests: readonly Manifest[], kind: string): readonly Manifest[] =>
  manifests.filter((manifest) => manifest.kind === kind);

export const named = (manifests: readonly Manifest[], kind: string, name: string): Manifest => {
  const found = ofKind(manifests, kind).find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name}`);
  return found;
};

/** What a manifest has at a path like `spec.template.metadata`; undefined where it has nothing. */
export const partOf = (manifest: Manifest | undefined, path: string): unknown =>
  path.split('.').reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], manifest);
