import { developmentOnly, doors, importTable, soleUsers, specsMayAlso } from './import-table.js';

const ours = '^(?:libs|apps|migrations|test)/';
/** Specs, and what only they use: the `testing` folder beside them. Neither is part of a program. */
const spec = '(?:\\.spec|/test(?:ing)?/[^/]+)\\.ts$';
const escaped = (text) => text.replaceAll('.', '\\.');
/** A unit is a folder, or one file. */
const inside = (unit) => `^${escaped(unit)}${unit.endsWith('.ts') ? '$' : '/'}`;
const door = (name) => `^${escaped(doors[name])}$`;
const installed = (name) => `(?:^|/)node_modules/${escaped(name)}/`;

/** A unit within another one has a line of its own in the table. */
const unitsWithin = (unit) => importTable.map((line) => line.unit).filter((other) => other.startsWith(`${unit}/`));

function unitRules({ unit, may, specsMay = [], why }) {
  const within = unitsWithin(unit).map(inside);
  const beyond = (doorNames) => ({ path: ours, pathNot: [inside(unit), ...doorNames.map(door)] });
  return [
    {
      name: `${unit} imports ${may.length > 0 ? may.map((name) => `#${name}`).join(', ') : 'nothing of ours'}`,
      comment: why,
      from: { path: inside(unit), pathNot: [spec, ...within] },
      to: beyond(may),
    },
    {
      name: `a spec in ${unit} imports no more than its library and ${[...specsMayAlso.may, ...specsMay].map((name) => `#${name}`).join(', ')}`,
      comment: specsMayAlso.why,
      from: { path: `${inside(unit)}.*${spec}`, pathNot: within },
      to: beyond([...may, ...specsMayAlso.may, ...specsMay]),
    },
    {
      name: `${unit} names other libraries by their door`,
      comment: 'A relative path into a neighbour means something else in dist; `#name` means the same everywhere.',
      from: { path: inside(unit) },
      to: { path: ours, pathNot: inside(unit), dependencyTypesNot: ['aliased-subpath-import'] },
    },
  ];
}

function soleUserRule({ packages, only, why }) {
  return {
    name: `${packages.join(', ')}: only in ${only.join(', ')}`,
    comment: why,
    from: { path: ours, pathNot: [...only.map(inside), '^test/', spec] },
    to: { path: packages.map(installed) },
  };
}

const everywhere = [
  {
    name: 'libs/intents/src/core imports #contracts as types',
    comment: 'A schema run inside a decision would be hidden work.',
    from: { path: inside('libs/intents/src/core'), pathNot: spec },
    to: { path: inside('libs/contracts'), dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'libs/intents/src/core is pure',
    comment: 'No npm, no node: time, ids and randomness enter as data.',
    from: { path: inside('libs/intents/src/core'), pathNot: spec },
    to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer'] },
  },
  {
    name: 'what an event means is pure',
    comment: 'Routing is a function of event and programs file; its only package is zod, for the schemas.',
    from: {
      path: '^libs/(?:events/src/core/(?:event|routing|source-event)|(?:members|purchases|rewards)/src/[^/]*(?:event|route))',
      pathNot: spec,
    },
    to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer'], pathNot: installed('zod') },
  },
  {
    name: 'libs/contracts uses zod and yaml',
    comment: 'Contracts are schemas and the two text formats they are written in.',
    from: { path: inside('libs/contracts'), pathNot: spec },
    to: { dependencyTypes: ['npm', 'npm-dev'], pathNot: [installed('zod'), installed('yaml')] },
  },
  {
    name: 'test/judge imports nothing of ours',
    comment: 'A judge that shares a constant shares a mistake. Only its wiring, which collects what it is given, may.',
    from: { path: inside('test/judge'), pathNot: inside('test/judge/wiring') },
    to: { path: ours, pathNot: '^test/judge/(?!wiring/)' },
  },
  {
    name: 'test/judge imports Node alone',
    comment: 'What it is given is plain data: no package reads it in a way that others share.',
    from: { path: inside('test/judge'), pathNot: inside('test/judge/wiring') },
    to: { dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer'] },
  },
  {
    name: 'test/reading knows neither judge',
    comment: 'It reads what a run has left; what that means each judge says for itself.',
    from: { path: inside('test/reading') },
    to: { path: '^test/(?:checker|judge)/' },
  },
  {
    name: 'no library passes through its own door',
    comment: 'Inside a library files import each other; through the door they would import themselves.',
    from: { path: '^libs/([^/]+)/' },
    to: {
      path: '^libs/$1/',
      pathNot: [
        door('intents/core'),
        door('events/core'),
        door('events/formats'),
        door('events'),
        door('events/ingest'),
        door('gateway/core'),
      ],
      dependencyTypes: ['aliased-subpath-import'],
    },
  },
  {
    name: 'no cycles',
    comment: 'Files that need each other, if only as types, are one file or three.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'every import resolves',
    comment: 'An import that only resolves on this machine fails on the next.',
    from: {},
    to: { couldNotResolve: true },
  },
  {
    name: 'every package is declared',
    comment: 'A package that another one happens to bring may leave with it.',
    from: { path: ours },
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  },
  {
    name: 'programs need no development dependency',
    comment: `The image has none. Except ${developmentOnly.packages.join(', ')}: ${developmentOnly.why}`,
    // The console is bundled with what it needs.
    from: { path: '^(?:libs|apps|migrations)/', pathNot: [spec, inside('apps/console')] },
    to: {
      dependencyTypes: ['npm-dev'],
      dependencyTypesNot: ['type-only'],
      pathNot: developmentOnly.packages.map(installed),
    },
  },
  {
    name: 'apps/console runs in a browser',
    comment: 'There is no Node in it. What builds it lies beside src/.',
    from: { path: inside('apps/console/src'), pathNot: spec },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'specs are imported by nobody, what they share by specs only',
    comment: 'Test code that several libraries share lives in test/support.',
    from: { pathNot: spec },
    to: { path: spec },
  },
];

export const importRules = [...importTable.flatMap(unitRules), ...soleUsers.map(soleUserRule), ...everywhere].map(
  (rule) => ({ severity: 'error', ...rule }),
);
