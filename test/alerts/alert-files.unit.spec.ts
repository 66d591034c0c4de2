import { parse } from 'yaml';

import type { AlertRule } from './alert-files.js';
import { alertRules, dashboard, dashboardQueries, read, runbooks, selectorsIn } from './alert-files.js';

const rules = alertRules();
const names = rules.map(({ alert }) => alert);
const base = 'https://example.org/loyaltyd/runbooks';

describe('the alerting rules', () => {
  it('are many, each named once', () => {
    expect(names.length).toBeGreaterThan(20);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(rules.map((rule): [string, AlertRule] => [rule.alert, rule]))('%s says all that is needed', (_name, rule) => {
    expect(rule.annotations).toEqual({
      summary: expect.stringMatching(/\w/) as string,
      description: expect.stringMatching(/\.$/) as string,
      runbook_url: `${base}/${rule.alert}.md`,
    });
    expect(['critical', 'warning']).toContain(rule.labels['severity']);
    expect(selectorsIn(rule.expr)).not.toEqual([]);
  });

  it('have a runbook each, and every runbook an alert; the index lists them with their severity', () => {
    expect([...runbooks()].sort()).toEqual([...names].sort());
    const index = read('docs/runbooks/README.md');
    const listed = [...index.matchAll(/^\| \[(\w+)\]\((\w+)\.md\) \| (\w+) \|/gm)].map(([, name, page, severity]) => {
      return { name, page, severity };
    });
    expect(listed).toEqual(
      rules.map(({ alert, labels }) => ({ name: alert, page: alert, severity: labels['severity'] })),
    );
  });

  it.each(rules.map((rule): [string, AlertRule] => [rule.alert, rule]))('the runbook of %s is whole', (name, rule) => {
    const page = read(`docs/runbooks/${name}.md`);
    expect(page).toMatch(new RegExp(`^# ${name}\n\nSeverity: ${rule.labels['severity'] ?? ''}\\.`));
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(['Meaning', 'Effect', 'Look', 'Mend', 'Wake']);
    expect(page).toMatch(/^```(?:sh|sql)$/m);
  });

  it('are each tested to fire', () => {
    const { tests } = parse(read('test/alerts/rules.test.yaml')) as {
      readonly tests: readonly {
        readonly name: string;
        readonly promql_expr_test: readonly { readonly expr: string; readonly exp_samples: readonly unknown[] }[];
      }[];
    };
    const fired = tests.flatMap(({ promql_expr_test: expectations }) =>
      expectations.flatMap(({ expr, exp_samples: samples }) =>
        samples.length === 0 ? [] : [/alertname="(\w+)", alertstate="firing"/.exec(expr)?.[1]],
      ),
    );
    expect([...new Set(fired)].sort()).toEqual([...names].sort());
  });
});

describe('the dashboard', () => {
  it('shows something in every panel, from the data source that is chosen', () => {
    const { panels, uid } = dashboard();
    expect(uid).toBe('loyaltyd');
    const shown = panels.filter(({ type }) => type !== 'row');
    expect(shown.length).toBeGreaterThan(15);
    expect(shown.filter(({ targets = [] }) => targets.length === 0)).toEqual([]);
    expect(dashboardQueries().filter((query) => selectorsIn(query).length === 0)).toEqual([]);
  });

  it('shows every metric of ours that an alert rests on', () => {
    const shown = new Set(dashboardQueries().flatMap((query) => selectorsIn(query).map(({ metric }) => metric)));
    const alerted = new Set(rules.flatMap(({ expr }) => selectorsIn(expr).map(({ metric }) => metric)));
    expect([...alerted].filter((metric) => !shown.has(metric))).toEqual([]);
  });
});
