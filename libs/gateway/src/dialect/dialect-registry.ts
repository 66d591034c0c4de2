import type { PassNaming, ProgramReference } from '#intents/core';
import { type HeaderTest, keptHeaderTest } from '../call/kept-headers.js';
import type { Dialect } from './dialect-schema.js';
import { compileTemplate, type DuplicateTemplate } from './duplicate-template.js';
import { DialectError, type DialectLayer, parseDialect } from './parse-dialect.js';

type StatusTest = (status: number) => boolean;

/** A dialect ready for use: patterns compiled once, lists as sets. */
export interface CompiledDialect {
  readonly dialect: Dialect;
  readonly isSuccessStatus: StatusTest;
  /** Of 4.2, whose status partner-api.md does not show. */
  readonly isIssueSuccessStatus: StatusTest;
  readonly contentStatuses: ReadonlySet<number>;
  readonly configurationStatuses: ReadonlySet<number>;
  /** Where the words of an error body are; the first that is present counts. */
  readonly messagePaths: readonly string[];
  readonly notAppliedStatuses: ReadonlySet<number>;
  readonly absentStatuses: ReadonlySet<number>;
  readonly absentPattern: RegExp;
  readonly noSuchPassPattern: RegExp;
  readonly denialPattern: RegExp;
  readonly failedStatusPattern: RegExp;
  readonly confirmationPattern: RegExp;
  readonly duplicatePattern: RegExp;
  readonly duplicateTemplates: readonly DuplicateTemplate[];
  /** Whether a header of an answer, in lower case, is kept with it. */
  readonly isKeptHeader: HeaderTest;
}

/** Of 4.1 to 4.3: it counts wherever nothing stands where the dialect says. */
const DOCUMENTED_MESSAGE = 'message';

export function compileDialect(dialect: Dialect): CompiledDialect {
  return {
    dialect,
    isSuccessStatus: successTest(dialect.success.statuses),
    isIssueSuccessStatus: successTest(dialect.issue.successStatuses ?? dialect.success.statuses),
    contentStatuses: new Set(dialect.error.contentStatuses),
    configurationStatuses: new Set(dialect.error.configurationStatuses),
    messagePaths: [...new Set([dialect.error.message, DOCUMENTED_MESSAGE].flat())],
    notAppliedStatuses: new Set(dialect.notApplied.statuses),
    absentStatuses: new Set(dialect.lookup.absent.statuses),
    absentPattern: compile(dialect.lookup.absent.pattern),
    noSuchPassPattern: compile(dialect.noSuchPass.pattern),
    denialPattern: compile(dialect.success.denied.pattern),
    failedStatusPattern: compile(dialect.success.denied.statusPattern),
    confirmationPattern: compile(dialect.schedule.confirmation.pattern),
    duplicatePattern: compile(dialect.duplicate.pattern),
    duplicateTemplates: dialect.duplicate.templates.map((template) => compileTemplate(template)),
    isKeptHeader: keptHeaderTest(dialect.evidence),
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

/** One program's overrides, by the partner's ids of that program. */
export interface ProgramDialect {
  /** Our name of the program, for errors. */
  readonly program: string;
  readonly brandId: string;
  readonly programId: string;
  readonly overrides: DialectLayer;
}

export interface DialectLayers {
  /** Entries of the `WALLET_DIALECT` file; `null` where there is none. */
  readonly file: DialectLayer | null;
  readonly programs: readonly ProgramDialect[];
}

/** Which dialect is spoken with which program (contracts.md sections 2 and 6). */
export class DialectRegistry {
  private base: CompiledDialect;
  private programs: ReadonlyMap<string, CompiledDialect>;

  /** @throws DialectError */
  constructor(layers: DialectLayers = { file: null, programs: [] }) {
    this.base = compileDialect(parseDialect('dialect', layers.file));
    this.programs = compilePrograms(layers);
  }

  /**
   * Takes new layers after a reload. All or nothing: an invalid layer changes nothing.
   * @throws DialectError
   */
  replace(layers: DialectLayers): void {
    const next = new DialectRegistry(layers);
    this.base = next.base;
    this.programs = next.programs;
  }

  /** The file's: of what belongs to no program. */
  get shared(): CompiledDialect {
    return this.base;
  }

  /** A call about a brand as a whole names no program: it speaks the file's dialect. */
  of(program: { readonly brandId: string; readonly programId?: string }): CompiledDialect {
    if (this.programs.size === 0 || program.programId === undefined) return this.base;
    return this.programs.get(keyOf(program)) ?? this.base;
  }
}

/** What names the pass in calls about this program's passes (4.6, 4.7). */
export function passNamingOf(program: ProgramReference, dialects: DialectRegistry): PassNaming {
  const { transaction, reward } = dialects.of(program).dialect;
  return { transaction: transaction.identifyBy, reward: reward.identifyBy };
}

const TOKEN_IS_SHARED = 'token: all programs share one token: it belongs into the file of WALLET_DIALECT';

function compilePrograms({ file, programs }: DialectLayers): ReadonlyMap<string, CompiledDialect> {
  const overridden = programs.filter(({ overrides }) => Object.keys(overrides).length > 0);
  return new Map(
    overridden.map((entry) => {
      const source = `programs.${entry.program}.dialect`;
      if (Object.hasOwn(entry.overrides, 'token')) throw new DialectError(source, [TOKEN_IS_SHARED]);
      return [keyOf(entry), compileDialect(parseDialect(source, file, entry.overrides))];
    }),
  );
}

function keyOf({ brandId, programId }: { readonly brandId: string; readonly programId?: string }): string {
  return JSON.stringify([brandId, programId]);
}
