import type { Program } from '#contracts';
import type { PassContent, RoutedIntent } from '#domain';

function contentOf({ command }: RoutedIntent): PassContent | null {
  if (command === null) return null;
  return command.operation === 'issue' || command.operation === 'issue-via-workflow' ? command.content : null;
}

/**
 * What an enrolment becomes when the member's first one is on its way already and says something else: the same
 * content as an update (contracts.md section 1, Identity). Null for everything else, and where the program has no
 * update workflow.
 */
export function enrolmentAsUpdate(intent: RoutedIntent | undefined, program: Program | undefined): RoutedIntent | null {
  if (intent?.command === null || intent === undefined || program?.update.via !== 'workflow') return null;
  const content = contentOf(intent);
  if (content === null) return null;
  const { brandId, programId, uniqueId, uniqueIdKey } = intent.command;
  const { workflowId } = program.update;
  return {
    ...intent,
    operation: 'update-via-workflow',
    command: { operation: 'update-via-workflow', brandId, programId, uniqueId, uniqueIdKey, workflowId, content },
    businessKey: null,
    businessContent: null,
  };
}
