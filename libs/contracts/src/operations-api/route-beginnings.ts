/** What most routes begin with. */
export const READ = { method: 'get', role: 'viewer' } as const;
export const ACT = { method: 'post', role: 'operator' } as const;
