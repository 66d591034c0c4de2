import type { z } from 'zod';

/** `['lines', 3, 'net']` as `lines[3].net`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? String(step) : `${text}.${String(step)}`;
  }, '');
}

/** How many problems one detail lists. */
export const describedIssuesMax = 10;

/** `data.total.minor: Too small: expected number to be >=0`. Paths and rules; zod's messages hold no values. */
export function describeIssues(issues: readonly z.core.$ZodIssue[]): string[] {
  return issues.slice(0, describedIssuesMax).map((issue) => `${pathText(issue.path)}: ${issue.message}`);
}
