import type { Pass } from './pass.js';

/** WalletPass of partner-api.md section 2. */
export interface WalletPassAnswer {
  readonly passId: number;
  readonly serialNumber: string;
  readonly templateId: number;
  readonly personId: string;
  readonly groupId?: string;
  readonly templateTierId?: number;
  readonly currentMessage?: string;
  readonly passdata: Readonly<Record<string, unknown>>;
  readonly downloadUrl: string;
  readonly downloadUrlApple: string;
  readonly downloadUrlGoogle: string;
  readonly statusCode: string;
  readonly status: number;
}

/** Links lead nowhere on purpose: `.invalid` never resolves (RFC 6761). */
const downloadBase = 'https://wallet-sandbox.invalid/passes';

export function toWalletPass(pass: Pass): WalletPassAnswer {
  const downloadUrl = `${downloadBase}/${pass.serialNumber}`;
  return {
    passId: pass.passId,
    serialNumber: pass.serialNumber,
    templateId: pass.templateId,
    personId: pass.personId,
    ...(pass.groupId === null ? {} : { groupId: pass.groupId }),
    ...(pass.templateTierId === null ? {} : { templateTierId: pass.templateTierId }),
    ...(pass.currentMessage === null ? {} : { currentMessage: pass.currentMessage }),
    passdata: pass.passdata,
    downloadUrl,
    downloadUrlApple: `${downloadUrl}/apple`,
    downloadUrlGoogle: `${downloadUrl}/google`,
    statusCode: pass.statusCode,
    status: pass.status,
  };
}
