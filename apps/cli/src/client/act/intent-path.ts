import { pathPart } from '../http/api-client.js';

/** As the API shows ids: their parts are percent-encoded already, and must not be so once more. */
const shownId = /^[\w.~%!*'()-]+$/;

/** Where the API has an intent. */
export function intentPath(id: string): string {
  return `/intents/${shownId.test(id) ? id : pathPart(id)}`;
}
