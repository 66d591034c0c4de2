import type { RequestPreviewView } from '#contracts';
import type { RequestPreview } from '#gateway';

import { maskPersonal } from '../masking/mask-personal.js';

function bodyOf(body: string | null): unknown {
  return body === null ? null : (maskPersonal({ body }) as { readonly body: unknown }).body;
}

/** A request as it would be made now, personal values masked. */
export function toPreviewView(preview: RequestPreview): RequestPreviewView {
  if (preview.kind === 'refused') return { method: '', path: '', body: null, problems: [...preview.problems] };
  const { method, path, body } = preview.request;
  return { method, path, body: bodyOf(body), problems: [] };
}
