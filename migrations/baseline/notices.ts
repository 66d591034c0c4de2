/** Whom we have told of what. */
export const notices = `
-- When somebody looked last for what is to be told. Who holds the row looks.
CREATE TABLE notice_look (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  looked_at timestamptz NOT NULL
);

INSERT INTO notice_look (looked_at) VALUES ('1970-01-01T00:00:00Z');

-- What is wrong now, since when it was first seen. detail: nothing personal.
CREATE TABLE notice_condition (
  key text PRIMARY KEY,
  since timestamptz NOT NULL,
  detail jsonb NOT NULL
);

-- What a channel has been told has begun, until it is told that it is over. over_at: since when it is.
CREATE TABLE notice_told (
  channel text NOT NULL CHECK (channel IN ('webhook', 'mail')),
  key text NOT NULL,
  since timestamptz NOT NULL,
  detail jsonb NOT NULL,
  over_at timestamptz,
  PRIMARY KEY (channel, key)
);

-- The last ones. due_at: when the next attempt is due; NULL: it has ended. begun and over: what its delivery makes told, and
-- forgotten. problem: why the last attempt failed.
CREATE TABLE notice (
  notice_id uuid PRIMARY KEY,
  channel text NOT NULL CHECK (channel IN ('webhook', 'mail')),
  is_trial boolean NOT NULL,
  made_at timestamptz NOT NULL,
  content jsonb NOT NULL,
  begun text[] NOT NULL DEFAULT '{}',
  over text[] NOT NULL DEFAULT '{}',
  attempts int NOT NULL DEFAULT 0,
  due_at timestamptz,
  delivered_at timestamptz,
  problem text
);
-- One at a time for each channel, so that they arrive in their order.
CREATE UNIQUE INDEX notice_under_way ON notice (channel) WHERE (due_at IS NOT NULL);
CREATE INDEX notice_of_channel ON notice (channel, made_at);
`;
