import type { MemberView } from '#contracts';

import { intentColumns } from '../get/intents-source.js';
import { memberPath } from '../get/get-members.js';
import type { MemberName } from '../options/parse-options.js';
import type { Paint } from '../output/colours.js';
import type { Field } from '../output/fields.js';
import { fields, section } from '../output/fields.js';
import { Table } from '../output/table.js';
import { timeText } from '../output/times.js';
import type { Described } from './describe.js';

function passFields({ pass, passKnown }: MemberView): readonly Field[] {
  if (pass === null) return [['Pass', passKnown]];
  const { passId, serialNumber, downloadUrl, downloadUrlApple, downloadUrlGoogle, statusCode } = pass;
  return [
    ['Pass', passId],
    ['Serial number', serialNumber],
    ['Pass status', statusCode === null || statusCode === undefined ? null : JSON.stringify(statusCode)],
    ['Download', downloadUrl],
    ['Apple', downloadUrlApple],
    ['Google', downloadUrlGoogle],
  ];
}

function textOf(member: MemberView, paint: Paint): string {
  const { program, memberId, generation, createdAt, isErased, lane, intents } = member;
  const columns = intentColumns.filter(({ isWide = false }) => !isWide);
  const head: readonly Field[] = [
    ['Member', `${program}/${memberId}${isErased ? ' (erased)' : ''}`],
    ['Known since', timeText(createdAt)],
    ['Generation', generation],
    ...passFields(member),
    ['Lane', `${lane.state}${lane.isHeld ? ', being worked on' : ''}`],
    ['Due', timeText(lane.dueAt)],
    ['Next', lane.next],
    ['Queued', lane.queued],
  ];
  return `${fields(head)}${section('Newest intents', intents.length === 0 ? '' : new Table(columns, paint).rows(intents))}`;
}

/** A member with the pass, what is queued and what came last. */
export function member(name: MemberName): Described<MemberView> {
  return {
    load: async (client) => (await client.get(memberPath(name))) as MemberView,
    text: textOf,
    nameOf: ({ program, memberId }) => `${program}/${memberId}`,
  };
}
