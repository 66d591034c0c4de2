import { Injectable } from '@nestjs/common';

import type { DialectView, ProgramsFile, ProgramsView } from '#contracts';
import { describeDialect, DialectRegistry } from '#gateway';
import type { ProgramsLoad } from '#intents';
import { ProgramsLoadRepository } from '#intents';

import { isoTime } from '../requests/read-request.js';
import { programsChanges } from './programs-changes.js';
import { ProgramsControl } from './programs-control.js';

function toLoadView(load: ProgramsLoad, before: ProgramsLoad | undefined): ProgramsView['loads'][number] {
  const { loadId: id, at, hash, host, actor: by, reason, accepted, content } = load;
  const changes = programsChanges(before?.content, content);
  return { id, at: isoTime(at), hash, host, by, reason, accepted: [...accepted], ...changes };
}

function valueAt(document: unknown, path: string): unknown {
  return path.split('.').reduce((value, name) => (value as Readonly<Record<string, unknown>>)[name], document);
}

/** Of a brand as a whole: what holds wherever no program says otherwise. */
const ofNoProgram = { brandId: '' };

/** The dialect in force: what differs from what we assume, and of which program. */
export function dialectView(dialects: DialectRegistry, { programs }: ProgramsFile): DialectView {
  const described = describeDialect();
  const { dialect: base } = dialects.of(ofNoProgram);
  const texts = (dialect: unknown): Map<string, string> =>
    new Map(described.map(({ path }) => [path, JSON.stringify(valueAt(dialect, path))]));
  const baseTexts = texts(base);
  const parsed = (text: string | undefined): unknown => (text === undefined ? null : (JSON.parse(text) as unknown));
  return {
    entries: described.map(({ path, description, default: assumed }) => ({
      ...{ path, description, default: parsed(assumed), value: parsed(baseTexts.get(path)) },
      isDefault: baseTexts.get(path) === assumed,
    })),
    programs: Object.entries(programs).map(([program, of]) => {
      const differing = [...texts(dialects.of(of).dialect)].filter(([path, text]) => text !== baseTexts.get(path));
      return { program, differs: differing.map(([path, text]) => ({ path, value: parsed(text) })) };
    }),
  };
}

/** Shows the programs file in force and what changed, and the dialects that follow from it. */
@Injectable()
export class ProgramsService {
  constructor(
    private readonly programs: ProgramsControl,
    private readonly loads: ProgramsLoadRepository,
    private readonly dialects: DialectRegistry,
  ) {}

  async show(): Promise<ProgramsView> {
    const { hash, since } = this.programs.inForce();
    const loads = await this.loads.list();
    return {
      ...{ hash, since: isoTime(since), content: this.programs.file() },
      loads: loads.map((load, index) => toLoadView(load, loads[index + 1])),
    };
  }

  showDialect(): DialectView {
    return dialectView(this.dialects, this.programs.file());
  }
}
