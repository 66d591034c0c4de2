import { loopbackCertificate } from '#test-support';

import { readPage } from '../docs/markdown.js';
import {
  describeWithHelm,
  environmentOf,
  ManifestValidator,
  mountedPaths,
  named,
  ofKind,
  partOf,
  podOf,
  podOfCronJob,
  podsOf,
  refusal,
  render,
  variablesIn,
  variablesOf,
  withChartCopy,
} from './helm.js';

const deploymentOf = (values: object): ReturnType<typeof named> =>
  named(render({ values }), 'Deployment', 'loyaltyd-all');

describeWithHelm('the variables of a process', () => {
  it('are all of docs/configuration.md, but for what Node reads itself', () => {
    const known = new Set(readPage('docs/configuration.md').text.match(/[A-Z][A-Z_]+(?=`)/g));
    const set = podsOf(render({ profiles: ['minimal', 'hardened'] })).flatMap((pod) =>
      pod.containers.flatMap((container) => Object.keys(variablesOf(container))),
    );
    const unknown = set.filter((name) => !known.has(name) && !known.has(name.replace(/_FILE$/, '')));
    expect(set).toEqual(expect.arrayContaining(['KAFKA_BROKERS', 'LOYALTYD_ROLES', 'DATABASE_SSL_CA_FILE']));
    expect(new Set(unknown)).toEqual(new Set(['NODE_OPTIONS']));
  });

  it('are whatever `config` names, a process having the last word, as Node would write them', () => {
    const config = { A_NEW_VARIABLE: 'x', DATABASE_POOL_SIZE: 20, OPS_READ_ONLY: true, WALLET_TIMEOUT_MS: 1000000 };
    const processes = { all: { roles: ['ingest'], config: { DATABASE_POOL_SIZE: 30 } } };
    expect(
      variablesIn(deploymentOf({ 'config.A_NEW_VARIABLE': 'x', ...spread('config', config), processes })),
    ).toMatchObject({
      A_NEW_VARIABLE: 'x',
      DATABASE_POOL_SIZE: '30',
      OPS_READ_ONLY: 'true',
      WALLET_TIMEOUT_MS: '1000000',
    });
  });

  it('come as files where they are secrets', () => {
    const deployment = deploymentOf({});
    const pod = podOf(deployment);
    const variables = variablesIn(deployment);
    expect(variables['DATABASE_URL']).toBeUndefined();
    expect(variables['DATABASE_URL_FILE']).toBe('/etc/loyaltyd/mounted/DATABASE_URL');
    expect(mountedPaths(pod)).toContain(variables['WALLET_CLIENT_SECRET_FILE']);
  });

  it('get tokens for Kafka, and show the partner a certificate, by what is mounted; what they ask may be reached', () => {
    const values = {
      ...spread('config', {
        KAFKA_SASL_MECHANISM: 'oauthbearer',
        KAFKA_OAUTH_TOKEN_URL: 'https://login.example.org:8443/token',
        KAFKA_OAUTH_CLIENT_ID: 'loyaltyd',
      }),
      'secrets.KAFKA_OAUTH_CLIENT_SECRET.name': 'kafka-client',
      'secrets.KAFKA_OAUTH_CLIENT_SECRET.key': 'secret',
      'secrets.WALLET_HEADERS.name': 'wallet',
      'secrets.WALLET_HEADERS.key': 'headers',
      'files.WALLET_CERT_FILE.secret': 'wallet-tls',
      'files.WALLET_CERT_FILE.key': 'tls.crt',
      'files.WALLET_KEY_FILE.secret': 'wallet-tls',
      'files.WALLET_KEY_FILE.key': 'tls.key',
    };
    const manifests = render({ values });
    const { kafka, wallet } = environmentOf(podOf(named(manifests, 'Deployment', 'loyaltyd-all')));
    expect(kafka?.sasl).toMatchObject({
      token: { clientId: { value: 'loyaltyd' }, clientSecret: { value: 'secret' } },
    });
    expect(wallet).toMatchObject({ headers: { value: 'x-key=secret' }, key: { value: loopbackCertificate.key } });
    const egress = partOf(named(manifests, 'NetworkPolicy', 'loyaltyd'), 'spec.egress') as { ports: object[] }[];
    expect(egress.flatMap(({ ports }) => ports)).toContainEqual({ protocol: 'TCP', port: 8443 });
    const inSight = { 'config.WALLET_TOKEN_HEADERS': 'x-key=secret' };
    expect(refusal({ values: inSight })).toContain('config.WALLET_TOKEN_HEADERS: this is a secret');
  });

  it('log in to Vault by a token of the pod that is mounted for nothing else', () => {
    const vault = {
      VAULT_ADDR: 'https://vault:8200',
      VAULT_TRANSIT_KEY_NAME: 'loyaltyd',
      VAULT_KUBERNETES_ROLE: 'loyaltyd',
    };
    const values = { ...spread('config', vault), 'serviceAccount.vaultAudience': 'vault' };
    const manifests = render({ values });
    const pod = podOf(named(manifests, 'Deployment', 'loyaltyd-all'));
    expect(environmentOf(pod).vault?.login).toMatchObject({ kind: 'kubernetes', role: 'loyaltyd' });
    const sources = pod.volumes.flatMap(({ projected }) => projected?.sources ?? []);
    expect(sources).toContainEqual({
      serviceAccountToken: { path: 'VAULT_KUBERNETES_JWT', expirationSeconds: 3600, audience: 'vault' },
    });
    expect(manifests.flatMap((each) => new ManifestValidator('v1.37.2').problems(each))).toEqual([]);
    const egress = partOf(named(manifests, 'NetworkPolicy', 'loyaltyd'), 'spec.egress') as { ports: object[] }[];
    expect(egress.flatMap(({ ports }) => ports)).toContainEqual({ protocol: 'TCP', port: 8200 });
    const without = podOf(deploymentOf({})).volumes.flatMap(({ projected }) => projected?.sources ?? []);
    expect(without.some((source) => 'serviceAccountToken' in source)).toBe(false);
  });

  it.each([
    ['its default name', {}],
    ['another one', { 'config.KAFKA_GROUP_ID': 'ours' }],
  ])('join the same consumer group as KEDA looks at: %s', (_what, values) => {
    const manifests = render({ profiles: ['minimal', 'keda'], values });
    const ingest = ofKind(manifests, 'Deployment').find(({ metadata }) => metadata.name.endsWith('-ingest'))!;
    const [scaled] = ofKind(manifests, 'ScaledObject');
    const triggers = partOf(scaled, 'spec.triggers') as { type: string; metadata: Record<string, string> }[];
    const { kafka } = environmentOf(podOf(ingest));
    const lags = triggers.filter(({ type }) => type === 'kafka').map(({ metadata }) => metadata);
    expect(new Set(lags.map(({ consumerGroup }) => consumerGroup))).toEqual(new Set([kafka?.groupId]));
    expect(lags.map(({ topic }) => topic)).toEqual([
      kafka?.topics.members,
      kafka?.topics.purchases,
      kafka?.topics.rewards,
    ]);
  });

  it.each([
    ['512Mi', '--max-old-space-size=384 --max-semi-space-size=32'],
    ['256Mi', '--max-old-space-size=192 --max-semi-space-size=16'],
    ['2Gi', '--max-old-space-size=1536 --max-semi-space-size=64'],
  ])('tell Node how much of %s there is', (memory, options) => {
    const variables = variablesIn(deploymentOf({ 'defaults.resources.limits.memory': memory }));
    expect(variables['NODE_OPTIONS']).toBe(options);
  });

  it('say what docs/operations/install.md says of memory', () => {
    const { text } = readPage('docs/operations/install.md');
    expect(text).toContain(`NODE_OPTIONS="${variablesIn(deploymentOf({}))['NODE_OPTIONS']}"`);
  });
});

describeWithHelm('a pod', () => {
  it.each([
    [{}, 33],
    [{ 'config.SHUTDOWN_GRACE_MS': 60001 }, 69],
    [{ 'processes.all': { roles: ['ingest'], config: { SHUTDOWN_GRACE_MS: 0 } } }, 8],
  ])('has longer to end than the daemon takes to drain: %j', (values, seconds) => {
    expect(podOf(deploymentOf(values)).terminationGracePeriodSeconds).toBe(seconds);
  });

  it('is started anew for another dialect and not for another programs file', () => {
    const annotations = (values: object): unknown => partOf(deploymentOf(values), 'spec.template.metadata.annotations');
    expect(annotations({ 'dialect.text': 'a: 1' })).not.toEqual(annotations({ 'dialect.text': 'a: 2' }));
    expect(JSON.stringify(annotations({}))).not.toContain('programs');
  });

  it('is told of a restore, and of none otherwise', () => {
    const moment = '2026-11-21T10:15:00Z';
    expect(podOf(deploymentOf({})).containers[0]?.args).toEqual(['start']);
    const told = podOf(deploymentOf({ recoveredFrom: moment })).containers[0]?.args;
    expect(told).toEqual(['start', '--recovered-from', moment]);
    const end = '2026-11-21T10:20:00Z';
    const whole = podOf(deploymentOf({ recoveredFrom: moment, lostUntil: end })).containers[0]?.args;
    expect(whole).toEqual(['start', '--recovered-from', moment, '--lost-until', end]);
  });

  it('is asked for its health on the port that it serves', () => {
    const { containers } = podOf(deploymentOf({ 'ports.operations': 9000 }));
    const [container] = containers as unknown as Record<string, { httpGet: { path: string; port: string } }>[];
    const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((name) => container![name]!.httpGet.path);
    expect(probes).toEqual(['/health/startup', '/health/live', '/health/ready']);
    expect(container).toMatchObject({ ports: [{ name: 'operations', containerPort: 9000 }] });
    expect(variablesOf(containers[0])['OPS_PORT']).toBe('9000');
  });

  it('takes what a process says over the defaults, false and empty lists too', () => {
    const values = {
      'defaults.tolerations': [{ key: 'a' }],
      'processes.all': {
        roles: ['ingest'],
        tolerations: [],
        topologySpread: { enabled: false },
        disruption: { enabled: false },
      },
    };
    const manifests = render({ values });
    const pod = podOf(named(manifests, 'Deployment', 'loyaltyd-all'));
    expect(pod).not.toHaveProperty('tolerations');
    expect(pod).not.toHaveProperty('topologySpreadConstraints');
    expect(ofKind(manifests, 'PodDisruptionBudget')).toEqual([]);
  });
});

describeWithHelm('the migration', () => {
  const manifests = render();
  const job = named(manifests, 'Job', 'loyaltyd-migration');

  it('comes before everything else, and needs nothing of it', () => {
    expect(job.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    const pod = podOf(job);
    expect(pod.volumes.map(({ name }) => name)).toEqual(['mounted']);
    expect(pod).not.toHaveProperty('serviceAccountName');
    expect(pod.containers[0]?.args).toEqual(['migrate']);
  });

  it('logs in as the owner of the tables, by secrets that no other pod has, and grants', () => {
    const secrets = { 'migration.secrets': { DATABASE_URL: { name: 'pg-owner', key: 'uri' } } };
    const all = render({ values: { ...secrets, 'migration.grant': 'daemon' } });
    const migration = podOf(named(all, 'Job', 'loyaltyd-migration'));
    expect(migration.containers[0]?.args).toEqual(['migrate', '--grant', 'daemon']);
    expect(JSON.stringify(migration.volumes)).toContain('pg-owner');
    const owners = ['loyaltyd-migration', 'loyaltyd-maintenance'];
    const others = all.filter(({ metadata }) => !owners.includes(metadata.name));
    expect(JSON.stringify(others)).not.toContain('pg-owner');
    expect(JSON.stringify(migration.containers[0])).toContain('DATABASE_URL_FILE');
  });

  it.each([
    [{ create: false, name: 'theirs' }, 'theirs'],
    [{ create: false }, undefined],
    [{ create: true, name: 'ours' }, undefined],
  ])('has the service account that was there before: %j', (serviceAccount, name) => {
    const migration = named(render({ values: { serviceAccount } }), 'Job', 'loyaltyd-migration');
    expect(partOf(migration, 'spec.template.spec.serviceAccountName')).toBe(name);
  });

  it('is followed daily by maintenance, with the same secrets, for which the settings are', () => {
    const secrets = { 'migration.secrets': { DATABASE_URL: { name: 'pg-owner', key: 'uri' } } };
    const settings = { 'config.RETENTION_INTENT_DAYS': 90, 'maintenance.schedule': '5 4 * * *' };
    const all = render({ values: { ...secrets, ...settings } });
    const cronJob = named(all, 'CronJob', 'loyaltyd-maintenance');
    expect(partOf(cronJob, 'spec')).toMatchObject({ schedule: '5 4 * * *', concurrencyPolicy: 'Forbid' });
    const pod = podOfCronJob(cronJob);
    expect(pod.containers[0]?.args).toEqual(['maintain']);
    expect(environmentOf(pod).retention).toMatchObject({ intentDays: 90, dedupDays: 400 });
    expect(JSON.stringify(pod.volumes)).toContain('pg-owner');
    expect(ofKind(render({ values: { 'maintenance.enabled': false } }), 'CronJob')).toEqual([]);
  });

  it('has init containers as the daemon and `helm test` have them', () => {
    const initContainers = [{ name: 'wait', image: 'registry.example.org/wait' }];
    const pods = podsOf(render({ values: { 'defaults.initContainers': initContainers } }));
    expect(pods).toHaveLength(4);
    for (const pod of pods) expect(pod).toMatchObject({ initContainers });
  });

  it('has a NetworkPolicy of its own, there before it, and none of a release', () => {
    const all = render({ profiles: ['minimal', 'hardened'] });
    const [own, its] = ['loyaltyd', 'loyaltyd-migration'].map((name) => named(all, 'NetworkPolicy', name));
    const component = 'app.kubernetes.io/component';
    expect(its?.metadata.annotations).toEqual({
      'helm.sh/hook': 'pre-install,pre-upgrade',
      'helm.sh/hook-weight': '-5',
      'helm.sh/hook-delete-policy': 'before-hook-creation',
    });
    expect(partOf(own, 'spec.podSelector.matchExpressions')).toEqual([
      { key: component, operator: 'NotIn', values: ['migration'] },
    ]);
    expect(partOf(its, 'spec.podSelector.matchLabels')).toEqual({
      ...(partOf(own, 'spec.podSelector.matchLabels') as object),
      [component]: 'migration',
    });
    expect(partOf(job, 'spec.template.metadata.labels')).toMatchObject(
      partOf(its, 'spec.podSelector.matchLabels') as object,
    );
    expect(partOf(its, 'spec.egress')).toEqual(partOf(own, 'spec.egress'));
    expect(its?.['spec']).not.toHaveProperty('ingress');
  });

  it('has no NetworkPolicy where there is no migration', () => {
    const without = render({ values: { 'networkPolicy.enabled': true, 'migration.enabled': false } });
    expect(ofKind(without, 'NetworkPolicy').map(({ metadata }) => metadata.name)).toEqual(['loyaltyd']);
  });
});

describeWithHelm('the Ingress', () => {
  const exposed = {
    'ingress.enabled': true,
    'ingress.host': 'loyalty.example.org',
    'config.OPS_METRICS': 'token',
    'networkPolicy.from': [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }],
  };
  const rulesOf = (values: object): unknown =>
    partOf(named(render({ values: { ...exposed, ...values } }), 'Ingress', 'loyaltyd'), 'spec.rules');
  const rules = (...paths: readonly string[]): unknown => [
    {
      host: 'loyalty.example.org',
      http: {
        paths: paths.map((path) => ({
          path,
          pathType: 'Prefix',
          backend: { service: { name: 'loyaltyd', port: { name: 'operations' } } },
        })),
      },
    },
  ];

  // It was `/api`: the console could not be reached.
  it('leads to the console and the API on a host of their own', () => {
    expect(rulesOf({})).toEqual(rules('/'));
  });

  it.each([['/loyalty'], ['/ops/loyalty/']])('follows OPS_BASE_PATH %s, wherever that is set', (path) => {
    const there = rules(path.replace(/\/$/, ''));
    expect(rulesOf({ 'config.OPS_BASE_PATH': path })).toEqual(there);
    expect(rulesOf({ 'config.OPS_BASE_PATH': '/other', 'processes.all.config': { OPS_BASE_PATH: path } })).toEqual(
      there,
    );
    const { operations } = environmentOf(podOf(deploymentOf({ ...exposed, 'config.OPS_BASE_PATH': path })));
    expect(operations.basePath.replace(/\/$/, '')).toBe(path.replace(/\/$/, ''));
  });

  it('has the paths that somebody chose, as they are', () => {
    expect(rulesOf({ 'ingress.paths': ['/api'] })).toEqual(rules('/api'));
    expect(rulesOf({ 'ingress.paths': ['/a/api', '/b'], 'config.OPS_BASE_PATH': '/a' })).toEqual(rules('/a/api', '/b'));
    expect(refusal({ values: { ...exposed, 'ingress.paths': ['api'] } })).toContain('paths');
  });
});

describeWithHelm('scaling', () => {
  const keda = { profiles: ['minimal', 'keda'] };

  it('never asks for more ingesting processes than there are partitions', () => {
    const scaled = ofKind(render(keda), 'ScaledObject')[0]!;
    expect(scaled['spec']).toMatchObject({ minReplicaCount: 2, maxReplicaCount: 8 });
  });

  it('looks at lag that pods can drain, and at processor time', () => {
    const triggers = partOf(ofKind(render(keda), 'ScaledObject')[0], 'spec.triggers') as {
      type: string;
      metadata: object;
    }[];
    expect(triggers.map(({ type }) => type)).toEqual(['cpu', 'kafka', 'kafka', 'kafka']);
    const lag = { excludePersistentLag: 'true', limitToPartitionsWithLag: 'true', allowIdleConsumers: 'false' };
    for (const { metadata } of triggers.slice(1)) expect(metadata).toMatchObject(lag);
  });

  it('leaves the number of replicas to the autoscaler', () => {
    const deployments = ofKind(render(keda), 'Deployment');
    expect(deployments.map((deployment) => partOf(deployment, 'spec.replicas'))).toEqual([undefined, undefined, 2]);
    expect(ofKind(render(keda), 'HorizontalPodAutoscaler').map(({ metadata }) => metadata.name)).toEqual([
      'loyaltyd-delivery',
    ]);
  });

  it('is told how to be brought back from 0, and so is nobody else', () => {
    const text = '{ apiVersion: v1, kind: ConfigMap, metadata: { name: notes }, data: { notes: {{ NOTES }} } }';
    const notes = text.replace('NOTES', 'include "loyaltyd/templates/NOTES.txt" . | toJson');
    const rendered = render({ ...keda, values: { extraObjects: [notes] } });
    const told = partOf(named(rendered, 'ConfigMap', 'notes'), 'data.notes') as string;
    expect(told.match(/(?<=--namespace shop )(scale|annotate) .*/g)).toEqual([
      'scale deployment/loyaltyd-delivery --replicas 2',
      'scale deployment/loyaltyd-ingest --replicas 2',
      'annotate scaledobject/loyaltyd-ingest autoscaling.keda.sh/paused-',
    ]);
  });

  it('has KEDA log in to Kafka as the daemon does', () => {
    const manifests = render({ profiles: ['minimal', 'hardened', 'keda'] });
    const [authentication] = ofKind(manifests, 'TriggerAuthentication');
    const { configMapTargetRef, secretTargetRef } = authentication!['spec'] as Record<string, { parameter: string }[]>;
    expect(configMapTargetRef!.map(({ parameter }) => parameter)).toEqual(['sasl', 'tls', 'username']);
    expect(secretTargetRef!.map(({ parameter }) => parameter)).toEqual(['ca', 'password']);
    const settings = named(manifests, 'ConfigMap', authentication!.metadata.name);
    expect(settings['data']).toEqual({ sasl: 'scram_sha512', tls: 'enable', username: 'loyaltyd' });
  });
});

describeWithHelm('what surrounds the pods', () => {
  it('serves the operations port of processes that have the role', () => {
    const selectors = ofKind(render({ profiles: ['minimal', 'per-role'] }), 'Service').map((service) =>
      partOf(service, 'spec.selector'),
    );
    expect(selectors).toEqual([expect.objectContaining({ 'app.kubernetes.io/component': 'operations' })]);
  });

  it('lets in nobody but its own pods, unless peers are named', () => {
    const ingressOf = (values: object): unknown =>
      partOf(named(render({ values }), 'NetworkPolicy', 'loyaltyd'), 'spec.ingress.0.from');
    const own = {
      podSelector: { matchLabels: expect.objectContaining({ 'app.kubernetes.io/name': 'loyaltyd' }) as unknown },
    };
    expect(ingressOf({})).toEqual([own]);
    const peer = { ipBlock: { cidr: '10.0.0.0/8' } };
    expect(ingressOf({ 'networkPolicy.from': [peer] })).toEqual([own, peer]);
    expect(ofKind(render({ values: { 'networkPolicy.enabled': false } }), 'NetworkPolicy')).toEqual([]);
  });

  it('lets out what the variables name, and nothing else', () => {
    const policy = named(render({ profiles: ['minimal', 'hardened'] }), 'NetworkPolicy', 'loyaltyd');
    const egress = partOf(policy, 'spec.egress') as { ports: { port: number }[]; to?: object[] }[];
    expect(egress.map(({ ports }) => ports.map(({ port }) => port))).toEqual([[53, 53], [8080], [5432], [9093], [443]]);
    expect(egress[3]?.to).toHaveLength(1);
  });

  it('lets out the ports of pods that are named, where a Service has others', () => {
    const values = { 'networkPolicy.kafkaPorts': [29092], 'networkPolicy.httpsPorts': [8443, 9443] };
    const policy = named(render({ profiles: ['minimal', 'hardened'], values }), 'NetworkPolicy', 'loyaltyd');
    const egress = partOf(policy, 'spec.egress') as { ports: { port: number }[] }[];
    expect(egress.slice(3).map(({ ports }) => ports.map(({ port }) => port))).toEqual([[29092], [8443, 9443]]);
  });

  it('tests itself in one container that stays: else `helm test --logs` of Helm 3 finds nothing to read', () => {
    const pod = named(render({ profiles: ['minimal', 'per-role'] }), 'Pod', 'loyaltyd-test');
    expect(partOf(pod, 'spec.containers')).toHaveLength(1);
    expect(partOf(pod, 'metadata.annotations')).toMatchObject({ 'helm.sh/hook-delete-policy': 'before-hook-creation' });
    expect(partOf(pod, 'spec.containers.0.args.0')).toBe(
      'node probe.js http://loyaltyd:80/health/ready\nexec node apps/cli/bin/loyaltyd.js doctor\n',
    );
  });

  it('takes the alerts as they are written, and leaves out what is not wanted', () => {
    const rule = (name: string): string =>
      `{ alert: ${name}, expr: up == 0, annotations: { text: "{{ $labels.pod }}" } }`;
    const files = { 'files/alerts.yaml': `groups: [{ name: g, interval: 30s, rules: [${rule('A')}, ${rule('B')}] }]` };
    const values = { 'monitoring.prometheusRule': { enabled: true, without: ['B'] } };
    const [written] = withChartCopy(files, (chart) => ofKind(render({ chart, values }), 'PrometheusRule'));
    const kept = { alert: 'A', expr: 'up == 0', annotations: { text: '{{ $labels.pod }}' } };
    expect(partOf(written, 'spec.groups')).toEqual([{ name: 'g', interval: '30s', rules: [kept] }]);
  });

  it('has Prometheus send a token where metrics take one', () => {
    const monitor = (values: object): unknown => {
      const given = { 'monitoring.podMonitor.enabled': true, 'networkPolicy.enabled': false, ...values };
      return partOf(ofKind(render({ values: given }), 'PodMonitor')[0], 'spec.podMetricsEndpoints');
    };
    const endpoint = { port: 'operations', path: '/metrics', interval: '15s' };
    expect(monitor({})).toEqual([endpoint]);
    const secret = { 'config.OPS_METRICS': 'token', 'monitoring.podMonitor.token.secret': 'scrape' };
    expect(monitor(secret)).toEqual([
      { ...endpoint, authorization: { credentials: { name: 'scrape', key: 'token' } } },
    ]);
  });

  it('has alerts lead to the runbooks where people read them', () => {
    const values = { 'monitoring.prometheusRule.enabled': true, 'config.OPS_DOCS_URL': 'https://wiki.example.net' };
    const [written] = ofKind(render({ values }), 'PrometheusRule');
    const groups = partOf(written, 'spec.groups') as { rules: { annotations: { runbook_url: string } }[] }[];
    const pages = groups.flatMap(({ rules }) => rules.map(({ annotations }) => annotations.runbook_url));
    expect(pages.length).toBeGreaterThan(10);
    expect(pages.filter((page) => !page.startsWith('https://wiki.example.net/runbooks/'))).toEqual([]);
  });

  it('takes further objects, with templates in them', () => {
    const extraObjects = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Name }}-mine' } }];
    expect(named(render({ values: { extraObjects } }), 'ConfigMap', 'loyaltyd-mine')).toBeDefined();
  });
});

describeWithHelm('the chart refuses', () => {
  const keda = { kind: 'keda', minReplicas: 4, partitions: 3 };
  const anybody = { ipBlock: { cidr: '0.0.0.0/0' } };
  it.each([
    [
      'a secret among the values',
      { 'config.WALLET_CLIENT_SECRET': 's' },
      'config.WALLET_CLIENT_SECRET: this is a secret',
    ],
    ['a token for Vault', { 'config.VAULT_TOKEN': 'hvs.x' }, 'secrets.VAULT_TOKEN'],
    ['the token of an account', { 'config.VAULT_KUBERNETES_JWT': 'x' }, 'secrets.VAULT_KUBERNETES_JWT'],
    ['the keys in headers', { 'config.OTEL_EXPORTER_OTLP_HEADERS': 'k=v' }, 'secrets.OTEL_EXPORTER_OTLP_HEADERS'],
    [
      'a password in an address',
      { 'config.HTTPS_PROXY': 'http://loyaltyd:s@proxy:3128' },
      'config.HTTPS_PROXY: this is a secret; name an existing one: secrets.HTTPS_PROXY',
    ],
    [
      'one in the address of any variable of any process',
      { 'processes.all.config': { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://k:s@otel.example.org' } },
      'config.OTEL_EXPORTER_OTLP_ENDPOINT: this is a secret',
    ],
    [
      'a secret among the further variables',
      { 'defaults.extraEnv': [{ name: 'WALLET_CLIENT_SECRET', value: 's' }] },
      'extraEnv.WALLET_CLIENT_SECRET: this is a secret',
    ],
    [
      'to show metrics to everybody where nobody said so',
      { 'ingress.enabled': true, 'ingress.host': 'a.example.org', 'networkPolicy.from': [anybody] },
      '/metrics would be public',
    ],
    ...['ingress.enabled', 'monitoring.podMonitor.enabled'].map((value): [string, object, string] => [
      `to be asked from outside (${value}) and let nobody in`,
      { [value]: true, 'ingress.host': 'a.example.org', 'config.OPS_METRICS': 'open' },
      'networkPolicy.from: who comes in',
    ]),
    [
      'another type of Service, and to let nobody in',
      { 'service.type': 'LoadBalancer' },
      'networkPolicy.from: who comes in',
    ],
    ['the address of the database', { 'config.DATABASE_URL': 's' }, 'secrets.DATABASE_URL'],
    ['what it sets itself', { 'config.OPS_PORT': '9' }, 'the chart sets it from the value ports.operations'],
    ['to guess where the image is', { 'image.repository': '' }, 'image.repository: say where'],
    ['two programs files', { 'programs.configMap': 'mine' }, 'programs: give text or configMap'],
    ['a process without roles', { 'processes.more': {} }, 'processes.more.roles: which of'],
    ['no process', { 'processes.all.enabled': false }, 'processes: none is enabled'],
    ['memory that Node cannot be told', { 'defaults.resources.limits.memory': '0.5Gi' }, 'whole Mi or Gi'],
    ['more replicas than partitions', { 'processes.all.autoscaling': keda }, 'more than the 3 replicas'],
    ['a misspelt value', { 'procesess.all.roles': [] }, 'procesess'],
    ['an unknown role', { 'processes.all.roles': ['ingest', 'console'] }, 'roles'],
    [
      'to scrape what takes a token without one',
      { 'config.OPS_METRICS': 'token', 'monitoring.podMonitor.enabled': true, 'networkPolicy.from': [anybody] },
      'monitoring.podMonitor.token.secret',
    ],
    [
      'to scrape what is closed',
      { 'config.OPS_METRICS': 'off', 'monitoring.podMonitor.enabled': true, 'networkPolicy.from': [anybody] },
      'config.OPS_METRICS is off',
    ],
    ['a moment that is none', { recoveredFrom: 'yesterday' }, 'recoveredFrom'],
    ['an end of the lost history that is none', { lostUntil: 'noon' }, 'lostUntil'],
    ['an end without a beginning', { lostUntil: '2026-11-21T10:20:00Z' }, 'goes with recoveredFrom'],
  ])('%s', (_what, values, said) => {
    expect(refusal({ values })).toContain(said);
  });

  it('a start without programs', () => {
    expect(refusal({ hasPrograms: false })).toContain('programs: give the programs file');
  });

  it.each([
    ['files/alerts.yaml', { 'monitoring.prometheusRule.enabled': true }],
    ['files/dashboards', { 'monitoring.dashboards.enabled': true }],
  ])('to do without %s where it is asked for', (path, values) => {
    const said = withChartCopy({ [path]: null }, (chart) => refusal({ chart, values }));
    expect(said).toContain('this chart was packed without');
  });
});

const spread = (name: string, values: object): object =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [`${name}.${key}`, value]));
