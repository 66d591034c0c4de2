/** What the daemon takes, but the producer should know. */
export interface Warning {
  readonly code: WarningCode;
  /** `path: rule`, never a value. */
  readonly detail: string;
}

export type WarningCode =
  | 'no-key'
  | 'other-key'
  | 'no-member'
  | 'unsent-field'
  | 'unsent-change'
  | 'digits-missing'
  | 'digits-unusual'
  | 'old-time'
  | 'parked'
  | 'duplicate-event'
  | 'duplicate-business-key'
  | 'enrolment-again'
  | 'conflict'
  | 'data-alone';

export function warning(code: WarningCode, detail: string): Warning {
  return { code, detail };
}
