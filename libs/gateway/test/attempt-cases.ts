import { administrationCases } from './administration-cases.js';
import type { AttemptCase } from './attempt-case.js';
import { passCases } from './pass-cases.js';

/** Every call of partner-api.md section 4 that changes something. */
export const attemptCases: readonly AttemptCase[] = [...passCases, ...administrationCases];

/** The dialect that all of them can be called in. */
export const attemptDialect = { schedule: { changeProperty: 'update' } };
