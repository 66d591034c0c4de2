import type { Dialect } from './dialect-schema.js';

type StatusTest = (status: number) => boolean;

/** A dialect ready for use: patterns compiled once, lists as sets. */
export interface CompiledDialect {
  readonly dialect: Dialect;
  readonly isSuccessStatus: StatusTest;
  /** Of 4.2, whose status partner-api.md does not show. */
  readonly isIssueSuccessStatus: StatusTest;
  readonly absentStatuses: ReadonlySet<number>;
  readonly absentPattern: RegExp;
  readonly noSuchPassPattern: RegExp;
  readonly duplicatePattern: RegExp;
}

export function compileDialect(dialect: Dialect): CompiledDialect {
  return {
    dialect,
    isSuccessStatus: successTest(dialect.success.statuses),
    isIssueSuccessStatus: successTest(dialect.issue.successStatuses ?? dialect.success.statuses),
    absentStatuses: new Set(dialect.lookup.absent.statuses),
    absentPattern: compile(dialect.lookup.absent.pattern),
    noSuchPassPattern: compile(dialect.noSuchPass.pattern),
    duplicatePattern: compile(dialect.duplicate.pattern),
  };
}

/** No `g`: a shared global expression would remember its place between calls. */
function compile(pattern: string): RegExp {
  return new RegExp(pattern, 'iu');
}

function successTest(statuses: Dialect['success']['statuses']): StatusTest {
  if (statuses === '2xx') return (status) => status >= 200 && status < 300;
  const accepted = new Set(statuses);
  return (status) => accepted.has(status);
}
