import type { ContractClient, Seen } from '../interpreter/contract-client.js';
import { runControl } from './run-control.js';
import { type Assumptions, nobodysName } from './assumption.js';
import { UnknownNames } from './unknown-names.js';
import type { Session } from '../interpreter/session.js';

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
