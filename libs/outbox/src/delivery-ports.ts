import type { Program } from '#contracts';
import type { PassNaming } from '#intents/core';
import type { PassListings, PassOperations } from '#gateway';
import type { MemberKeys } from '#intents';
import type { Clock, Database, Random, Tracer, Wake } from '#platform';

import type { Observation } from './engine/observation.js';

/** The part of the partner's service that delivery uses. */
export type DeliveryPartner = PassOperations & Pick<PassListings, 'countPasses'>;

/** Everything the delivery loop needs from outside. A simulation gives its own. */
export interface DeliveryPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly database: Database;
  readonly partner: DeliveryPartner;
  readonly wake: Wake;
  readonly keys: MemberKeys;
  /** What calls about a program's passes name them by; absent: `unique_id`. */
  readonly namingOf?: (program: Program) => PassNaming;
  /** The installation's key for digests. */
  readonly macKey: Uint8Array;
  /** A keyed digest that is equal for refusals with the same meaning. Absent: refusals are not grouped. */
  readonly fingerprint?: (text: string) => string;
  /** Absent: nothing is traced. */
  readonly tracer?: Tracer;
  /** Called for each recorded attempt; must not throw. */
  readonly observe: (observation: Observation) => void;
  /** A database call of the loop failed; it will be repeated. */
  readonly onFailure: (operation: string, error: unknown) => void;
}
