import type { JobView } from '#contracts';

/** An id as a part of a path. */
function pathPart(id: string): string {
  return encodeURIComponent(id);
}

/** As the API shows ids: their parts are percent-encoded already, and must not be so once more. */
const shownId = /^[\w.~%!*'()-]+$/;

/** Where the API has an intent. */
export function intentPath(id: string): string {
  return `/intents/${shownId.test(id) ? id : pathPart(id)}`;
}

/** A member by the name that commands show and take: `PROGRAM/ID`. */
export interface MemberName {
  readonly program: string;
  readonly memberId: string;
}

/** Where the API has a member. */
export function memberPath({ program, memberId }: MemberName): string {
  return `/members/${pathPart(program)}/${pathPart(memberId)}`;
}

export const jobsPath = '/jobs';

export type JobKind = JobView['kind'];

/** A job by the name that commands show and take: `KIND/ID`. */
export interface JobName {
  readonly kind: string;
  readonly id: string;
}

export function jobName({ kind, id }: { readonly kind: string; readonly id: string }): string {
  return `${kind}/${id}`;
}

export function jobPath({ id }: Pick<JobName, 'id'>): string {
  return `${jobsPath}/${pathPart(id)}`;
}
