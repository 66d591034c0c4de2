#!/usr/bin/env bash
# The broker's probe in the Compose stack: it answers, and the topics of the daemon exist. They are made here, because a
# consumer that subscribes to a missing topic is refused at first, and because in production nobody makes them by chance.
set -euo pipefail
server=localhost:29092
topics=(loyalty.members loyalty.purchases loyalty.rewards loyalty.outcomes loyalty.audit loyalty.dead-letter)

present="$(/opt/kafka/bin/kafka-topics.sh --bootstrap-server "$server" --list)"
for topic in "${topics[@]}"; do
  grep --quiet --line-regexp --fixed-strings "$topic" <<<"$present" ||
    /opt/kafka/bin/kafka-topics.sh --bootstrap-server "$server" --create --if-not-exists --topic "$topic" --partitions 4
done
