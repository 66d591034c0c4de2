/**
 * In what role somebody has something done that is stored. Kept with it: to resume or cancel it takes the same role. What
 * was stored before this was kept, or by nobody in particular, takes an admin.
 */
export type ActingRole = 'operator' | 'admin';
