/**
 * SQL: whether an event (`e`) brings its intent to its end, and to which. What is delivered or cancelled takes no further
 * word, but for an enrolment whose pass is gone: it is open again, and counts as one less.
 */
export const isSettling = `(e.type IN ('AttemptApplied', 'VerifiedApplied', 'IntentCancelled', 'IntentReissued')
    OR e.type = 'IntentResolved' AND e.data->>'as' = 'delivered')`;

/** SQL: by how many intents it changes that status. */
export const settledBy = `CASE e.type WHEN 'IntentReissued' THEN -1 ELSE 1 END`;

export const settledStatus = `CASE e.type WHEN 'IntentCancelled' THEN 'cancelled' ELSE 'delivered' END`;
