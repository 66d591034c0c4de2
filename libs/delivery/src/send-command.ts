import type { PartnerCommand } from '#domain';
import type { AttemptReport, CallOptions, Partner } from '#gateway';

/** The one place where a command becomes a call of the partner port. */
export function sendCommand(
  partner: Partner,
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
      return Promise.resolve(scheduleNotSupported);
  }
}

/** Scheduled updates have no call yet: definitely not applied, and a person is told after the usual tries. */
const scheduleNotSupported: AttemptReport<unknown> = {
  outcome: { kind: 'rejected', code: 'refused', message: 'scheduled updates are not carried yet' },
  phase: 'not-sent',
  durationMs: 0,
  request: { method: 'PATCH', path: '', body: null },
  response: null,
  value: null,
  shapeAlarms: [],
};
