import { at, attempt, event, intent } from './intent-fixture.js';
import { withUnmasked } from './unmasked.js';

it('shows what an admin asked to see, event by event, and leaves the rest as it was', () => {
  const ended = event('AttemptApplied', 5, { attempt: 1, evidence: { request: { body: '•••' }, response: null } });
  const later = event('LateOutcome', 9, { evidence: '•••' });
  const masked = intent({
    command: { message: '•••' },
    events: [ended, later],
    attempts: [attempt({ outcome: 'AttemptApplied', request: { body: '•••' } })],
  });
  const shown = withUnmasked(masked, {
    id: masked.id,
    isErased: false,
    command: { message: 'to Ada' },
    sourceRecord: null,
    events: [{ version: ended.version, type: ended.type, at: at(5), evidence: { request: { body: 'to Ada' } } }],
  });
  expect(shown.command).toEqual({ message: 'to Ada' });
  expect(shown.attempts[0]?.request).toEqual({ body: 'to Ada' });
  expect(shown.events[1]?.evidence).toBe('•••');
  expect(withUnmasked(masked, null)).toBe(masked);
});
