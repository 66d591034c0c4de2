import { decide } from '../decide.js';
import { evolve } from '../evolve.js';
import type { IgnoredCommandReason, IntentCommand } from '../intent-command.js';
import type { IntentEvent } from '../intent-event.js';
import type { IntentState } from '../intent-state.js';
import { initialIntentState } from '../intent-state.js';

/** The state after these events. */
export function fold(events: readonly IntentEvent[]): IntentState {
  return events.reduce(evolve, initialIntentState);
}

interface Then {
  /** Exactly these events, in this order. */
  then(...events: readonly IntentEvent[]): void;
  thenIgnored(reason: IgnoredCommandReason): void;
}

/** Specification of the core: `given(...events).when(command).then(...events)`. */
export function given(...events: readonly IntentEvent[]): { when(command: IntentCommand): Then } {
  return {
    when: (command) => {
      const decision = decide(fold(events), command);
      return {
        then: (...expected) => {
          expect(decision).toEqual({ kind: 'events', events: expected });
        },
        thenIgnored: (reason) => {
          expect(decision).toEqual({ kind: 'ignored', reason });
        },
      };
    },
  };
}
