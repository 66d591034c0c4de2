import type { Wording } from '../contract/wordings.js';

/** The partner says no: answered with `status` and `body`, nothing has taken effect (partner-api.md section 7). */
export class Refusal extends Error {
  override readonly name: string = 'Refusal';

  constructor(
    readonly status: number,
    readonly body: Readonly<Record<string, unknown>> & { readonly message: string },
  ) {
    super(body.message);
  }

  /** The message as a wording has it. */
  say(wording: Wording): string {
    return wording.frame(this.message);
  }
}

/** Throws a refusal with the documented error body. */
export function refuse(status: number, message: string): never {
  throw new Refusal(status, { message });
}
