import { type Program, type ProgramsFile, parseProgramsFile } from '#contracts';
import { DialectRegistry, type Gateway, createGateway } from '#gateway';
import { digest, type Clock } from '#platform';

export const programName = 'coffee-club';

/** A second program, for what stands beside the first. */
export const otherProgramName = 'tea-club';

const programText = (name: string, concurrency: number): string => `
  ${name}:
    brandId: '101'
    programId: '2001'
    currency: EUR
    uniqueIdKey: memberId
    templateId: 11
    tiers: { basic: 1 }
    purchases:
      completed:
        transactionTypeId: '31'
        attributes: { store: storeId, receipt: purchaseId, campaign: attributes.campaign }
        uniqueAttribute: receipt
        uniqueEnforced: true
    limits: { concurrency: ${concurrency} }
`;

/** The programs file. */
export const programsText = (concurrency: number, names: readonly string[] = [programName]): string =>
  `programs:${names.map((name) => programText(name, concurrency)).join('')}`;

export interface BenchPrograms {
  readonly file: ProgramsFile;
  readonly hash: Uint8Array;
  readonly programs: Readonly<Record<string, Program>>;
}

/** The program of the benchmark, or several, read as the daemon reads its programs file. */
export const benchPrograms = (concurrency: number, names?: readonly string[]): BenchPrograms => {
  const result = parseProgramsFile(programsText(concurrency, names));
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return { file: result.value, hash: digest(result.canonicalText), programs: result.value.programs };
};

/** The daemon's gateway, pointed at the stub. */
export const benchGateway = (stubOrigin: string, clock: Clock): Gateway =>
  createGateway({
    baseUrl: `${stubOrigin}/brands`,
    authUrl: stubOrigin,
    scope: null,
    readCredentials: () => ({ clientId: 'bench', clientSecret: 'bench' }),
    dialects: new DialectRegistry(),
    clock,
  });
