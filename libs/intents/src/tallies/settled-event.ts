/**
 * SQL: whether an event (`e`) brings its intent to its end, and to which. An intent ends once: what is delivered or
 * cancelled takes no further word, so that counting these events counts intents.
 */
export const isSettling = `(e.type IN ('AttemptApplied', 'VerifiedApplied', 'IntentCancelled')
    OR e.type = 'IntentResolved' AND e.data->>'as' = 'delivered')`;

export const settledStatus = `CASE e.type WHEN 'IntentCancelled' THEN 'cancelled' ELSE 'delivered' END`;
