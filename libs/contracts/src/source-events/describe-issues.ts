import type { z } from 'zod';
import { pathText } from '../path-text.js';

/** How many problems one detail lists. */
export const describedIssuesMax = 10;

/** `data.total.minor: Too small: expected number to be >=0`. Paths and rules; zod's messages hold no values. */
export function describeIssues(issues: readonly z.core.$ZodIssue[]): string[] {
  return issues.slice(0, describedIssuesMax).map((issue) => `${pathText(issue.path)}: ${issue.message}`);
}
