import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';

import { allPages, projectRoot } from '../docs/markdown.js';

const files = 'deploy/helm/loyaltyd/files';

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string }[];
}

interface Dashboard {
  readonly uid: string;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] };
}

export function read(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8');
}

export function alertRules(): readonly AlertRule[] {
  const { groups } = parse(read(`${files}/alerts.yaml`)) as {
    readonly groups: readonly { readonly rules: readonly AlertRule[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}

export function dashboard(): Dashboard {
  return JSON.parse(read(`${files}/dashboards/loyaltyd.json`)) as Dashboard;
}

/** Every query of the dashboard: of its panels, and of its variables. */
export function dashboardQueries(): readonly string[] {
  const { panels, templating } = dashboard();
  const asked = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const variables = templating.list.flatMap(({ query }) => /^label_values\((.*),/.exec(query)?.[1] ?? []);
  return [...asked, ...variables];
}

/** Names of the pages below docs/runbooks, without the index. */
export function runbooks(): readonly string[] {
  const pages = readdirSync(join(projectRoot, 'docs/runbooks')).map((file) => file.replace(/\.md$/, ''));
  return pages.filter((page) => page !== 'README');
}

/** A series that a query reads, with the labels that it is picked by. */
interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** Metrics are known by their prefixes: everything that a daemon exposes has one of them. */
const selector = /\b((?:loyaltyd|process|nodejs)_[a-z0-9_]+)(?:\{([^}]*)\})?/g;

/** What a query, or a text that quotes one, reads. */
export function selectorsIn(text: string): Selector[] {
  return [...text.matchAll(selector)].map(([, metric = '', matchers = '']) => ({
    metric,
    labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label ?? ''),
  }));
}

/** Labels that a query groups by. */
export function groupingsIn(query: string): string[] {
  const lists = [...query.matchAll(/\b(?:by|without|on) \(([^)]*)\)/g)].map(([, list]) => list ?? '');
  return lists.flatMap((list) => list.split(',').map((label) => label.trim()));
}

/** A selector with the file that names it. */
interface NamedSelector extends Selector {
  readonly where: string;
}

/** Every query of the dashboard and of the alerts. */
export function queriesOfOurs(): readonly string[] {
  return [...dashboardQueries(), ...alertRules().map(({ expr }) => expr)];
}

/** Every metric that a query or a page names, with the labels that it is picked by. */
export function selectorsOfOurs(): readonly NamedSelector[] {
  const pages = allPages().map(({ path, text }) => ({ where: path, text }));
  const texts = [
    ...dashboardQueries().map((text) => ({ where: 'dashboard', text })),
    ...alertRules().map(({ alert, expr }) => ({ where: alert, text: expr })),
    { where: 'test/alerts/rules.test.yaml', text: read('test/alerts/rules.test.yaml').replaceAll(/\\"/g, '"') },
    ...pages,
  ];
  const all = texts.flatMap(({ where, text }) => selectorsIn(text).map((selector) => ({ ...selector, where })));
  // Pages name columns, too, such as process_id.
  return all.filter(({ where, metric }) => !where.endsWith('.md') || metric.startsWith('loyaltyd_'));
}

/** One answer of `GET /metrics`. */
export class Scrape {
  private readonly names = new Set<string>();
  private readonly labelsByName = new Map<string, Set<string>>();
  private readonly valuesByLabel = new Map<string, Set<string>>();

  constructor(readonly text: string) {
    for (const [, name = '', type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
      this.names.add(name);
      if (type === 'histogram') for (const suffix of ['bucket', 'sum', 'count']) this.names.add(`${name}_${suffix}`);
    }
    for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)\{(.*)\} \S+$/gm)) this.takeIn(name, labels);
  }

  /** Also without a value just now. */
  has(metric: string): boolean {
    return this.names.has(metric);
  }

  labelsOf(metric: string): readonly string[] {
    return [...(this.labelsByName.get(metric) ?? [])];
  }

  get labels(): readonly string[] {
    return [...this.valuesByLabel.keys()];
  }

  /** Sorted. */
  valuesOf(label: string): readonly string[] {
    return [...(this.valuesByLabel.get(label) ?? [])].toSorted();
  }

  private takeIn(name: string, labels: string): void {
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      this.labelsByName.set(name, (this.labelsByName.get(name) ?? new Set()).add(label));
      this.valuesByLabel.set(label, (this.valuesByLabel.get(label) ?? new Set()).add(value));
    }
  }
}
