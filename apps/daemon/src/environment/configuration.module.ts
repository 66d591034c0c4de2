import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';

import type { Environment, ProgramsFile } from '#contracts';
import type { SourceTables } from '#events';
import type { DialectLayers } from '#gateway';
import { DialectRegistry, loadDialectFile } from '#gateway';

import { ProgramsHolder } from '../programs/programs-holder.js';
import type { LiveEnvironment } from './live-environment.js';
import { formatJudge, sourceTables } from './source-tables.js';

type DialectFile = Readonly<Record<string, unknown>>;

interface ProgramsFiles {
  readonly programs: ProgramsHolder;
  readonly dialects: DialectRegistry;
  readonly dialectFile: DialectFile | null;
}

/** The programs file and the dialect that the environment names. @throws {DialectError | ProgramsFileError} */
export async function openProgramsFiles({
  dialectFile: path,
  programsFile,
  sourcesFile,
  schemaRegistry,
}: Pick<Environment, 'dialectFile' | 'programsFile' | 'sourcesFile' | 'schemaRegistry'>): Promise<ProgramsFiles> {
  const dialectFile = path === null ? null : await loadDialectFile(path);
  const judgeFormat = formatJudge({ schemaRegistry });
  const parts = { dialect: dialectFile ?? {}, sourcesFile, judgeFormat };
  const programs = await ProgramsHolder.open(programsFile, parts);
  const dialects = new DialectRegistry(dialectLayers(dialectFile, programs.current.file));
  return { programs, dialects, dialectFile };
}

/** Everything that is configured, as it is in force now. What it cannot be opened with is refused before anything starts. */
export class Configuration {
  /** The same for all who read records. */
  readonly sources: SourceTables;

  private constructor(
    readonly live: LiveEnvironment,
    readonly programs: ProgramsHolder,
    readonly dialects: DialectRegistry,
    readonly dialectFile: DialectFile | null,
  ) {
    this.sources = sourceTables(live);
  }

  /** @throws {DialectError | ProgramsFileError} */
  static async open(live: LiveEnvironment): Promise<Configuration> {
    const { programs, dialects, dialectFile } = await openProgramsFiles(live.current);
    return new Configuration(live, programs, dialects, dialectFile);
  }

  /** In force now. */
  get environment(): Environment {
    return this.live.current;
  }

  /** Changes nothing. @throws {DialectError} where the dialects of a programs file are wrong */
  checkDialects(file: ProgramsFile): void {
    new DialectRegistry(dialectLayers(this.dialectFile, file));
  }

  /** The dialects of a programs file that was checked are in force from now on. */
  applyDialects(file: ProgramsFile): void {
    this.dialects.replace(dialectLayers(this.dialectFile, file));
  }
}

/** The dialect layers of a programs file over the dialect file's own entries. */
export function dialectLayers(file: DialectFile | null, programs: ProgramsFile): DialectLayers {
  return {
    file,
    programs: Object.entries(programs.programs).map(([program, { brandId, programId, dialect }]) => ({
      program,
      brandId,
      programId,
      overrides: dialect,
    })),
  };
}

@Module({})
export class ConfigurationModule {
  static forRoot(live: LiveEnvironment): DynamicModule {
    const configuration = { provide: Configuration, useFactory: () => Configuration.open(live) };
    const dialects = {
      provide: DialectRegistry,
      inject: [Configuration],
      useFactory: (of: Configuration) => of.dialects,
    };
    const providers = [configuration, dialects];
    return { module: ConfigurationModule, global: true, providers, exports: providers };
  }
}
