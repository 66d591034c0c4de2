import type { OidcEnvironment, OperationsEnvironment, OperatorToken, ProducerToken } from '#contracts';
import type { Clock } from '#platform';

/** Who may use the operations port, whatever the roles of the process. */
export abstract class AccessSettings {
  /** In force now. */
  abstract readonly tokens: () => readonly OperatorToken[];
  /** Who may write events at the door, in force now. Absent: nobody. */
  abstract readonly producers?: () => readonly ProducerToken[];
  /** Null: only `tokens` let anybody in. */
  abstract readonly oidc: OidcEnvironment | null;
  /** No request may change anything. */
  abstract readonly isReadOnly: boolean;
  /** Who may read metrics: every client, those with a token, or none. */
  abstract readonly metrics: OperationsEnvironment['metrics'];
  /** Proxies that are believed whose requests they pass on. */
  abstract readonly trustedProxies: readonly string[];
  abstract readonly clock: Clock;
}
