import type { Wording } from '../contract/wordings.js';
import { refuse } from '../http/refusal.js';
import type { Program } from '../seed/catalogue.js';

/** Refuses with 400 where e-mail addresses do not tell the brand's cardholders apart (partner-api.md 4.1). */
export function requireEmailIdentifier(program: Program, wording: Wording): void {
  if (program.uniqueIdentifier.kind === 'email') return;
  refuse(400, wording.invalid('email', "is not this brand's unique identifier"));
}
