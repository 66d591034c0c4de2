import type { Program, SourceEvent } from '#contracts';
import type { PassContent, RoutedIntent } from '#domain';
import { updateCommand } from '#domain';

function contentOf({ command }: RoutedIntent): PassContent | null {
  if (command === null) return null;
  return command.operation === 'issue' || command.operation === 'issue-via-workflow' ? command.content : null;
}

/**
 * What an enrolment becomes when the member's first one is on its way already and says something else: the same
 * content as an update (contracts.md section 1, Identity). Null for everything else, and where the program maps no
 * update.
 */
export function enrolmentAsUpdate(
  event: SourceEvent,
  intent: RoutedIntent | undefined,
  program: Program | undefined,
): RoutedIntent | null {
  if (intent === undefined || program === undefined) return null;
  const content = contentOf(intent);
  if (content === null) return null;
  const command = updateCommand({ event, memberId: intent.memberId, program }, content);
  if (command === null) return null;
  return { ...intent, operation: command.operation, command, businessKey: null, businessContent: null };
}
