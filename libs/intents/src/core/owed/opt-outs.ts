import type { PartnerCommand, PassContent } from './partner-command.js';

/** No more SMS (partner-api.md section 2). */
export const smsOptOut = { smsSubscription: 900 } as const satisfies PassContent;

/** The opt-out merged with earlier ones that were never sent. */
export function withUnsentOptOuts(command: PartnerCommand, unsent: readonly PartnerCommand[]): PartnerCommand {
  if (!('content' in command)) return command;
  const unsentContents = unsent.flatMap((earlier) => ('content' in earlier ? [earlier.content] : []));
  const { content } = command;
  const sms = unsentContents.some(({ smsSubscription }) => smsSubscription === 900) ? smsOptOut : {};
  const isOffWallet = unsentContents.some(({ passdata }) => passdata?.['optOut'] === true);
  const wallet = isOffWallet ? { passdata: { ...content.passdata, optOut: true } } : {};
  return { ...command, content: { ...content, ...sms, ...wallet } };
}
