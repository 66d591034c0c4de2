import type { PartnerCommand } from '#domain';
import type { AttemptReport, CallOptions, PassOperations } from '#gateway';

/** The one place where a command becomes a call of the partner port. */
export function sendCommand(
  partner: PassOperations,
  command: PartnerCommand,
  options: CallOptions,
): Promise<AttemptReport<unknown>> {
  switch (command.operation) {
    case 'issue':
      return partner.issue(command, options);
    case 'issue-via-workflow':
    case 'update-via-workflow':
      return partner.runWorkflow(command, options);
    case 'transaction':
      return partner.createTransaction(command, options);
    case 'reward':
      return partner.applyReward(command, options);
    case 'schedule-update':
      return partner.scheduleUpdate(command, options);
  }
}
