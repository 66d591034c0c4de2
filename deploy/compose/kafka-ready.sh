#!/usr/bin/env bash
# The broker's probe in the Compose stack: it answers, and the topics of the daemon exist. They are made here, because a
# consumer that subscribes to a missing topic is refused at first, and because in production nobody makes them by chance.
# Kafka's own tool is asked until they are there, and then no more: it starts a Java machine of two seconds of processor time, and
# on a busy host it outlives the probe's timeout, so that they pile up.
set -euo pipefail
server=localhost:29092
# LOYALTYD_TOPICS: those of your sources, with spaces between them.
read -r -a topics <<<"loyalty.members loyalty.purchases loyalty.rewards loyalty.outcomes loyalty.audit loyalty.dead-letter ${LOYALTYD_TOPICS:-}"
# Of the container: it goes before the volume can.
made=/tmp/loyaltyd-topics

if [ ! -f "$made" ]; then
  present="$(timeout 50 /opt/kafka/bin/kafka-topics.sh --bootstrap-server "$server" --list)"
  for topic in "${topics[@]}"; do
    grep --quiet --line-regexp --fixed-strings "$topic" <<<"$present" ||
      timeout 50 /opt/kafka/bin/kafka-topics.sh --bootstrap-server "$server" --create --if-not-exists --topic "$topic" --partitions 4
  done
  touch "$made"
fi

# ApiVersions, version 0, without a client's name; an answer begins with the four bytes of its length.
exec 3<>"/dev/tcp/${server/://}"
printf '\0\0\0\12\0\22\0\0\0\0\0\1\377\377' >&3
[ "$(timeout 5 head -c 4 <&3 | wc -c)" -eq 4 ]
