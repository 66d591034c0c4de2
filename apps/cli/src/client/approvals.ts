import type { ApprovalView } from '#contracts';

import { exitError, exitOk, wrongUsage } from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import type { ActFlags, ConsentFlags } from './act.js';
import { act, consents } from './act.js';
import { ApiClient, wholeList } from './api-client.js';
import { resolveConnection } from './connection.js';
import type { OneView } from './output.js';
import { statusColour, writeOne } from './output.js';
import { approvalPath } from './paths.js';
import type { Described, ListSource } from './show.js';
import { ageText, fields, timeText } from './text.js';

export const approvalsSource: ListSource<ApprovalView> = {
  path: '/approvals',
  keys: {},
  pages: wholeList,
  since: ({ askedAt }) => askedAt,
  columns: [
    { title: 'ID', of: ({ id }) => id },
    { title: 'STATE', of: ({ state }) => state, colour: ({ state }) => statusColour(state) },
    { title: 'KIND', of: ({ kind }) => kind },
    { title: 'PROGRAM', of: ({ program }) => program },
    { title: 'TARGET', of: ({ target }) => target },
    { title: 'BY', of: ({ askedBy }) => askedBy },
    { title: 'AGE', of: ({ askedAt }) => ageText(askedAt) },
    { title: 'UNTIL', of: ({ until }) => until },
    { title: 'SETTLED BY', of: ({ settledBy }) => settledBy, isWide: true },
    { title: 'REQUEST', of: ({ request }) => JSON.stringify(request), isWide: true },
    { title: 'REASON', of: ({ reason }) => reason },
  ],
  nameOf: ({ id }) => id,
};

function settledText({ settledAt, settledBy, settledReason }: ApprovalView): string | null {
  return settledBy === null ? timeText(settledAt) : `${timeText(settledAt)} by ${settledBy}: ${settledReason ?? ''}`;
}

function approvalText(approval: ApprovalView): string {
  return fields([
    ['Approval', approval.id],
    ['State', approval.state],
    ['Kind', approval.kind],
    ['Program', approval.program],
    ['Target', approval.target],
    ['Request', JSON.stringify(approval.request)],
    ['Digest', approval.digest],
    ['Reason', approval.reason],
    ['By', approval.askedBy],
    ['Asked', timeText(approval.askedAt)],
    ['Until', timeText(approval.until)],
    ['Settled', settledText(approval)],
  ]);
}

const approvalView: OneView<ApprovalView> = { text: approvalText, nameOf: ({ id }) => id };

async function load(client: ApiClient, id: string): Promise<ApprovalView> {
  return (await client.get(approvalPath(id))) as ApprovalView;
}

/** A request that waits, or waited, for a second person. */
export function describedApproval(id: string): Described<ApprovalView> {
  return { ...approvalView, load: (client) => load(client, id) };
}

/** Shows what would be done, asks, and approves exactly that. @returns the exit code */
export async function approve(terminal: Terminal, id: string, flags: ActFlags & ConsentFlags): Promise<number> {
  if (flags.yes !== true && !terminal.isInteractive) {
    throw wrongUsage('nobody is there to be asked: look with `loyaltyd describe approval`, then say --yes');
  }
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const proposal = await load(client, id);
  for (const line of approvalText(proposal).trimEnd().split('\n')) terminal.report(line);
  if (!(await consents(terminal, flags, 'Have it done?'))) return exitError;
  const body = { digest: proposal.digest, reason: flags.reason };
  const item = (await client.post(`${approvalPath(id)}/approve`, body)) as ApprovalView;
  await writeOne(terminal, approvalView, { item, format: flags.output });
  return exitOk;
}

/** Refuses it, or withdraws what the same person has asked for. @returns the exit code */
export async function refuse(terminal: Terminal, id: string, flags: ActFlags): Promise<number> {
  await act(terminal, { path: `${approvalPath(id)}/refuse`, view: approvalView }, flags);
  return exitOk;
}
