import type { MigrationClass } from '#platform';

import { Baseline1798000000000 } from './1798000000000-baseline.js';

/** Every migration in order. Append only: a shipped migration never changes. docs/upgrades.md says what one may do. */
export const migrations: readonly MigrationClass[] = [Baseline1798000000000];
