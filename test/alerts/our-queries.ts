import { allPages } from '../docs/markdown.js';
import type { Selector } from './alert-files.js';
import { alertRules, dashboardQueries, read, selectorsIn } from './alert-files.js';

/** A selector with the file that names it. */
export interface NamedSelector extends Selector {
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
