import type { ContractClient, Seen } from '../interpreter/contract-client.js';
import { runControl } from './run-control.js';
import { type Assumptions, nobodysName } from './assumption.js';
import { valueAt } from '../interpreter/value-at.js';
import type { Session } from '../interpreter/session.js';

/** How a partner speaks of a name that it does not know. */
export class UnknownNames {
  private constructor(private readonly template: string | null) {}

  static from(seen: Seen): UnknownNames {
    const message = refusalOf(seen);
    return new UnknownNames(message?.includes(nobodysName) === true ? message : null);
  }

  /** Whether it can be told at all. */
  get isSpoken(): boolean {
    return this.template !== null;
  }

  /** Whether the answer refuses just this name. */
  refuses(name: unknown, seen: Seen): boolean {
    return this.template !== null && refusalOf(seen) === this.template.replaceAll(nobodysName, String(name));
  }
}

/** The message of a refusal; null where there is none. */
export function refusalOf({ status, body }: Seen): string | null {
  const message = valueAt(body, 'message');
  return status !== null && status >= 400 && status < 500 && typeof message === 'string' ? message : null;
}

/** Each control is asked for once. */
export class Controls {
  private readonly asked = new Map<string, Promise<UnknownNames>>();

  constructor(
    private readonly parts: {
      readonly assumptions: Assumptions;
      readonly session: Session;
      readonly client: ContractClient;
    },
  ) {}

  unknownNames(control: string): Promise<UnknownNames> {
    const known =
      this.asked.get(control) ?? this.ask(control, nobodysName, 'x').then((seen) => UnknownNames.from(seen));
    this.asked.set(control, known);
    return known;
  }

  /** The control's request with another name in the place of nobody's. @throws NotRun */
  ask(control: string, name: string, value: unknown): Promise<Seen> {
    const found = this.parts.assumptions.controls[control];
    if (found === undefined) throw new Error(`there is no control ${control}`);
    return runControl(found, { ...this.parts, name, value });
  }
}
