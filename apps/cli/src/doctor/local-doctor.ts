import type { DoctorReport } from '#contracts';

export interface LocalDiagnosis {
  readonly report: DoctorReport;
  /** False where a start would not even be tried. */
  readonly isConfigurationValid: boolean;
}

/** Looks at everything from this process's own environment: no daemon need run. */
export async function examineHere(env: NodeJS.ProcessEnv): Promise<LocalDiagnosis> {
  const { runDoctor } = await import('#daemon');
  return runDoctor(env);
}
