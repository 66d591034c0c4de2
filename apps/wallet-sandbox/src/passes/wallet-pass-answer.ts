import { type DownloadLinks, downloadLinks } from '../cards/download-links.js';
import type { Pass } from './pass.js';

/** WalletPass of partner-api.md section 2. */
interface WalletPassAnswer extends DownloadLinks {
  readonly passId: number;
  readonly serialNumber: string;
  readonly templateId: number;
  readonly personId: string;
  readonly groupId?: string;
  readonly templateTierId?: number;
  readonly currentMessage?: string;
  readonly passdata: Readonly<Record<string, unknown>>;
  readonly statusCode: string;
  readonly status: number;
}

/** A pass as it is answered to a caller who knows this sandbox as `origin` (`http://host:port`). */
export function toWalletPass(pass: Pass, origin: string): WalletPassAnswer {
  return {
    passId: pass.passId,
    serialNumber: pass.serialNumber,
    templateId: pass.templateId,
    personId: pass.personId,
    ...(pass.groupId === null ? {} : { groupId: pass.groupId }),
    ...(pass.templateTierId === null ? {} : { templateTierId: pass.templateTierId }),
    ...(pass.currentMessage === null ? {} : { currentMessage: pass.currentMessage }),
    passdata: pass.passdata,
    ...downloadLinks(origin, pass.serialNumber),
    statusCode: pass.statusCode,
    status: pass.status,
  };
}
