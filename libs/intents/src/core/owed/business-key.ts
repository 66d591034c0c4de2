import type { BusinessKey } from './route-result.js';

export function enrolmentKeyOf({ memberId }: { readonly memberId: string }): BusinessKey {
  return { scope: 'enrolment', parts: [memberId], perGeneration: true };
}

export interface BusinessIdentity {
  readonly program: string;
  readonly key: BusinessKey;
  /** The member's generation, of a key that is `perLife` the life that the member lives; read by these two alone. */
  readonly generation: number;
}

/** A business key, unique per program for ever; an enrolment's also per generation of its member, what is given once per life. */
export function businessKeyText({ program, key, generation }: BusinessIdentity): string {
  return JSON.stringify([
    'business',
    program,
    key.scope,
    key.perGeneration || key.perLife === true ? generation : null,
    ...key.parts,
  ]);
}
