/** Who is a member, the key that seals what is personal of them, and what their erasure leaves. */
export const members = `
CREATE SEQUENCE lane_id_seq;

-- A program's customer. generation rises with opted-out(program) and erasure: the member may enrol again. profile_*:
-- the position of the last accepted update, older ones are stale. erased_seq: everything up to there is erased.
-- enrolment_key, enrolment_mac: business key and content digest of the last enrolment with other content than the
-- first one of its generation, which stands in dedup. NULL: there was none. profile_marks: by path, [source,
-- sequence, epoch ms] of what was last taken; names chosen by shops, and sources, are digests. It takes the place of
-- profile_sequence and profile_at: what stands there still counts for every path. left_at, back_at, enrolled_at: by
-- business time the last leaving, the first enrolment after it, the last enrolment. left_at without back_at: has left.
-- erased_at, born_at: the last erasure, the first enrolment after it. What is dated before born_at is not kept.
-- merged_into: the member_id of the program in which this member lives on; merged_at: when a merge was said last, taken
-- back since or not; undone_from, undone_at: in whom the member was last said not to live on, and when. person_macs: first
-- name, last name and e-mail address as they were said last, 8 bytes each of a digest under the member's own key. nameless_since:
-- since when member_id is no longer the id but a digest of it, for the member is erased. NULL: it is the id, or nothing is left of it.
CREATE TABLE member (
  lane_id bigint PRIMARY KEY DEFAULT nextval('lane_id_seq'),
  program_id text NOT NULL,
  member_id text NOT NULL,
  generation int NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL,
  profile_sequence text,
  profile_at timestamptz,
  erased_seq int NOT NULL DEFAULT 0,
  enrolment_key bytea,
  enrolment_mac bytea,
  profile_marks jsonb,
  left_at timestamptz,
  back_at timestamptz,
  enrolled_at timestamptz,
  erased_at timestamptz,
  born_at timestamptz,
  merged_into text,
  merged_at timestamptz,
  undone_from text,
  undone_at timestamptz,
  person_macs bytea,
  nameless_since timestamptz,
  UNIQUE (program_id, member_id)
) WITH (fillfactor = 90);
CREATE INDEX member_nameless ON member (nameless_since) WHERE nameless_since IS NOT NULL;
CREATE INDEX member_by_prefix ON member (lower(member_id) text_pattern_ops) WHERE nameless_since IS NULL;
CREATE INDEX member_undone_from ON member (program_id, undone_from) WHERE undone_from IS NOT NULL;
CREATE INDEX member_merged_into ON member (program_id, merged_into) WHERE merged_into IS NOT NULL;

ALTER SEQUENCE lane_id_seq OWNED BY member.lane_id;

-- The member's data key, wrapped by the master key. Destroying the row is the erasure.
CREATE TABLE member_key (
  lane_id bigint PRIMARY KEY REFERENCES member (lane_id),
  wrapped_key bytea NOT NULL
);

-- Whose card a pass is: of which lane it was shown first. name_mac: a digest of what the partner calls it.
CREATE TABLE pass_holder (
  name_mac bytea PRIMARY KEY,
  lane_id bigint NOT NULL REFERENCES member (lane_id)
);
CREATE INDEX pass_holder_lane ON pass_holder (lane_id);

-- An erasure that waits for what the member's leaving itself has caused (the opt-out at the partner). erased_name: what
-- takes the place of the member_id then.
CREATE TABLE erasure (
  lane_id bigint PRIMARY KEY REFERENCES member (lane_id),
  until_seq int NOT NULL,
  requested_at timestamptz NOT NULL,
  erased_name text NOT NULL
);

-- Erased members whose digests in dedup are still to be forgotten, up to erased_seq.
CREATE TABLE digest_erasure (
  lane_id bigint PRIMARY KEY,
  erased_seq int NOT NULL,
  since timestamptz NOT NULL
);
CREATE INDEX digest_erasure_by_time ON digest_erasure (since);
`;
