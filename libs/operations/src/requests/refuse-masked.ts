import { maskedText } from '../masking/mask-personal.js';
import { maskedPaths } from '../masking/masked-paths.js';
import { refuseRequest } from './read-request.js';

/** @throws {ApiProblem} that names where what stands for masked values was sent as if it were one */
export function refuseMasked(sent: unknown): void {
  const paths = maskedPaths(sent);
  if (paths.length === 0) return;
  refuseRequest(
    `${paths.join(', ')}: ${maskedText} stands for a masked value and is none; say the value, or leave it out`,
  );
}
