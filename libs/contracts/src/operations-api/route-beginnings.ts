/** What most routes begin with. */
export const READ = { method: 'get', role: 'viewer' } as const;
/** Of stored work: whoever acts may pause it. */
export const RESUMED_OR_CANCELLED = 'What an admin has asked for takes an admin.';
export const ACT = { method: 'post', role: 'operator' } as const;
