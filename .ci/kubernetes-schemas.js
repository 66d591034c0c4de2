import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/**
 * node .ci/kubernetes-schemas.js FROM TO: of each Kubernetes' OpenAPI document what our kinds need, and of CRDs their newest
 * schema, both without descriptions and strict: a field that the API does not know is refused, as `kubectl` does.
 */
const [from, to] = process.argv.slice(2);
const kinds = [
  'apps/v1/Deployment',
  'autoscaling/v2/HorizontalPodAutoscaler',
  'batch/v1/CronJob',
  'batch/v1/Job',
  'networking.k8s.io/v1/Ingress',
  'networking.k8s.io/v1/NetworkPolicy',
  'policy/v1/PodDisruptionBudget',
  'v1/ConfigMap',
  'v1/Pod',
  'v1/Secret',
  'v1/Service',
  'v1/ServiceAccount',
];
const noise = ['description', 'format', 'default', 'example'];
const files = readdirSync(from);

const names = ['properties', 'definitions', 'patternProperties'];
/** Go's `(?i)` is no regular expression of ours. */
const isForeign = (key, value) => key === 'pattern' && String(value).includes('(?i)');
const isNoise = (key, value) => noise.includes(key) || key.startsWith('x-kubernetes') || isForeign(key, value);

const isIntOrString = (node) => node['x-kubernetes-int-or-string'] || node.format === 'int-or-string';
const isOpen = (node) =>
  node['x-kubernetes-preserve-unknown-fields'] || 'additionalProperties' in node || !node.properties;

/** Without what says nothing to a validator; `x-kubernetes-*` become what they stand for. */
function plain(node, parent) {
  if (Array.isArray(node)) return node.map((item) => plain(item));
  if (node === null || typeof node !== 'object') return node;
  const isSchema = !names.includes(parent);
  if (isSchema && isIntOrString(node)) return { type: ['integer', 'string'] };
  const kept = Object.entries(node).filter(([key, value]) => !isSchema || !isNoise(key, value));
  const out = Object.fromEntries(kept.map(([key, value]) => [key, plain(value, key)]));
  if (isSchema && !isOpen(node)) out.additionalProperties = false;
  return out;
}

const kindOf = (definition) => {
  const [of] = definition['x-kubernetes-group-version-kind'] ?? [];
  return of && [of.group, of.version, of.kind].filter(Boolean).join('/');
};

/** The definitions that `names` lead to. */
function reached(all, names) {
  const found = new Set(names);
  for (const name of found) {
    for (const [, ref] of JSON.stringify(all[name]).matchAll(/#\/definitions\/([^"]+)/g)) found.add(ref);
  }
  return Object.fromEntries([...found].sort().map((name) => [name, plain(all[name])]));
}

/** A line for each schema, so that a change can be read. */
function write(name, { kinds: byKind, definitions }) {
  const lines = (entries) =>
    Object.entries(entries).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  const part = (entries) => `{\n${lines(entries).join(',\n')}\n}`;
  writeFileSync(join(to, name), `{\n"kinds": ${part(byKind)},\n"definitions": ${part(definitions)}\n}\n`);
}

for (const file of files.filter((name) => name.endsWith('swagger.json'))) {
  const { definitions } = JSON.parse(readFileSync(join(from, file), 'utf8'));
  const ours = Object.keys(definitions).filter((name) => kinds.includes(kindOf(definitions[name])));
  const kept = reached(definitions, ours);
  const byKind = Object.fromEntries(ours.map((name) => [kindOf(definitions[name]), { $ref: `#/definitions/${name}` }]));
  write(`kubernetes-${file.split('-')[0]}.json`, { kinds: byKind, definitions: kept });
}

const custom = files
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => parse(readFileSync(join(from, name), 'utf8')));
const newest = ({ spec }) => spec.versions.find(({ storage }) => storage);
const entries = custom.map((crd) => [
  `${crd.spec.group}/${newest(crd).name}/${crd.spec.names.kind}`,
  plain(newest(crd).schema.openAPIV3Schema),
]);
write('custom-resources.json', { kinds: Object.fromEntries(entries), definitions: {} });
