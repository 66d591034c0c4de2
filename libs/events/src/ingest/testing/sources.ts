import { type OpenFormat, SourceTables } from '#events';
import type { Subject } from '#events/core';
import { type FormatName, openFormat } from '#events/formats';

/** Of formats that need no registry. */
const open: OpenFormat = ({ format, updates = false }) => openFormat(format as FormatName, null, { updates });

/** What comes by which topic, as a daemon has it. */
export function testSources(topics: Readonly<Partial<Record<Subject, string>>> = {}): SourceTables {
  const { members, purchases, rewards } = topics;
  return new SourceTables({ topics: { members, purchases, rewards }, written: [], openFormat: open });
}
