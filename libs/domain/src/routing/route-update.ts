import type { PassContent, ScheduleUpdateCommand, WorkflowCommand } from './partner-command.js';
import { referenceOf, type Routing } from './routing.js';

/**
 * The call that changes a pass: 4.3 with the update workflow, 4.4, or `null` where the program has none. A workflow
 * finds the pass by nothing but its body, so that the member id goes along in `passdata.metaData`.
 */
export function updateCommand(routing: Routing, content: PassContent): WorkflowCommand | ScheduleUpdateCommand | null {
  const { program, memberId, event } = routing;
  const { update } = program;
  switch (update.via) {
    case 'workflow': {
      const metaData = { ...content.passdata?.metaData, [program.uniqueIdKey]: memberId };
      return {
        ...referenceOf(routing),
        operation: 'update-via-workflow',
        workflowId: update.workflowId,
        content: { ...content, passdata: { ...content.passdata, metaData } },
      };
    }
    case 'schedule':
      return {
        ...referenceOf(routing),
        operation: 'schedule-update',
        scheduledName: `loyaltyd ${event.source} ${event.id}`,
        content,
      };
    case 'none':
      return null;
    default:
      return update satisfies never;
  }
}
