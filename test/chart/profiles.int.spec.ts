import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Rendering } from './helm.js';
import {
  chartFolder,
  describeWithHelm,
  environmentOf,
  kubernetesVersions,
  lint,
  ManifestValidator,
  podsOf,
  render,
  runHelm,
} from './helm.js';

const profiles = readdirSync(join(chartFolder, 'profiles')).map((file) => file.replace('.yaml', ''));
const over = (profile: string): readonly string[] => (profile === 'minimal' ? ['minimal'] : ['minimal', profile]);
const whole = <T>(profile: string, use: (rendering: Rendering) => T): T => use({ profiles: over(profile) });

describeWithHelm('each profile of the chart', () => {
  const validators = kubernetesVersions.map((version) => ({ version, validator: new ManifestValidator(version) }));

  it('is rendered by this Helm', () => {
    expect(runHelm(['version', '--short'])).toMatch(/^v[34]\./);
    expect(profiles).toEqual(expect.arrayContaining(['minimal', 'per-role', 'keda', 'monitoring', 'hardened']));
  });

  it.each(profiles)('%s passes helm lint --strict', (profile) => {
    expect(whole(profile, lint)).toContain('0 chart(s) failed');
  });

  it.each(profiles)('%s is what Kubernetes takes', (profile) => {
    for (const { version, validator } of validators) {
      const manifests = whole(profile, (rendering) => render({ ...rendering, kubernetes: version }));
      expect(manifests.length).toBeGreaterThan(5);
      expect(manifests.flatMap((manifest) => validator.problems(manifest))).toEqual([]);
    }
  });

  it.each(profiles)('%s gives every process variables that the daemon takes', (profile) => {
    const pods = podsOf(whole(profile, render));
    const started = pods.flatMap((pod) =>
      pod.containers.flatMap((container) => (container.args ? { pod, container } : [])),
    );
    // The pod of `helm test` has a script, whose last command it is.
    expect(started.map(({ container }) => container.args?.[0]?.trim().split(' ').at(-1))).toEqual(
      expect.arrayContaining(['start', 'migrate', 'maintain', 'doctor']),
    );
    for (const { pod, container } of started) {
      const { database, cleartext } = environmentOf(pod, container);
      expect(database).not.toBeNull();
      expect(Object.keys(cleartext)).toEqual(profile === 'cleartext' ? ['postgres', 'kafka'] : []);
    }
  });

  it.each(profiles)('%s has pods as the restricted Pod Security Standard wants them', (profile) => {
    for (const pod of podsOf(whole(profile, render))) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const { securityContext } of pod.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
  });
});

describe('the schemas that manifests are held against', () => {
  const [, newest] = kubernetesVersions;
  const validator = new ManifestValidator(newest);
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } };

  it('take a right manifest', () => {
    expect(validator.problems(service)).toEqual([]);
  });

  it.each([
    { spec: { prots: [] } },
    { spec: { ports: [{ port: '80' }] } },
    { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 1 } },
    { kind: 'Sevrice' },
  ])('refuse %j', (wrong) => {
    expect(validator.problems({ ...service, ...wrong })).not.toEqual([]);
  });

  it('are those of the oldest Kubernetes that the chart admits, and of a new one', () => {
    const chart = readFileSync(join(chartFolder, 'Chart.yaml'), 'utf8');
    expect(chart).toContain(`kubeVersion: '>=${kubernetesVersions[0].replace(/^v(\d+\.\d+)\.\d+$/, '$1')}.0-0'`);
  });
});
