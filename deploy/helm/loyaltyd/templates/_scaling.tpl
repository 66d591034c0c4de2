{{/* process -> how many replicas can have something to do: a partition belongs to one consumer. */}}
{{- define "loyaltyd.maxReplicas" -}}
{{- $auto := .autoscaling -}}
{{- $isCapped := and (has "ingest" .roles) (gt (int $auto.partitions) 0) -}}
{{- $max := int (ternary (min (int $auto.maxReplicas) (int $auto.partitions)) $auto.maxReplicas $isCapped) -}}
{{- if lt $max (int $auto.minReplicas) -}}
{{- fail (printf "processes.%s.autoscaling.minReplicas: %d is more than the %d replicas that can have something to do" .name (int $auto.minReplicas) $max) -}}
{{- end -}}
{{- $max -}}
{{- end -}}

{{/* Each change of an ingesting process makes the group share its partitions anew: up by one, and down late. */}}
{{- define "loyaltyd.scalingBehavior" -}}
scaleUp:
  stabilizationWindowSeconds: 60
  policies: [{ type: Pods, value: 1, periodSeconds: 60 }]
scaleDown:
  stabilizationWindowSeconds: 600
  policies: [{ type: Pods, value: 1, periodSeconds: 120 }]
{{- end -}}

{{/* [root, process] -> the consumer group that the process joins (the default is that of libs/contracts) */}}
{{- define "loyaltyd.groupId" -}}
{{- include "loyaltyd.variable" (list (index . 0) (index . 1) "KAFKA_GROUP_ID" "loyaltyd") -}}
{{- end -}}

{{/*
Processor time is what only more processes can give: a delivery that waits for the partner uses none, so that a slow or
limited partner never adds a pod. Kafka lag counts for processes that ingest, without partitions that do not move
(Postgres is away, or a gap stopped them): no pod could drain those.
*/}}
{{- define "loyaltyd.scaledObject" -}}
{{- $root := index . 0 -}}{{- $process := index . 1 -}}{{- $auto := $process.autoscaling -}}
{{- $authentication := include "loyaltyd.kedaAuthentication" . }}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ $process.fullname }}
  namespace: {{ $root.Release.Namespace }}
  labels: {{ include "loyaltyd.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ $process.name }}
spec:
  scaleTargetRef: { name: {{ $process.fullname }}, envSourceContainerName: loyaltyd }
  minReplicaCount: {{ $auto.minReplicas }}
  maxReplicaCount: {{ include "loyaltyd.maxReplicas" $process }}
  advanced:
    horizontalPodAutoscalerConfig:
      behavior: {{ include "loyaltyd.scalingBehavior" . | nindent 8 }}
  triggers:
    - type: cpu
      metricType: Utilization
      metadata: { value: {{ $auto.cpuPercent | quote }}, containerName: loyaltyd }
    {{- if has "ingest" $process.roles }}
    {{- range $kind := list "MEMBERS" "PURCHASES" "REWARDS" }}
    - type: kafka
      metadata:
        bootstrapServers: {{ include "loyaltyd.variable" (list $root $process "KAFKA_BROKERS" "") | required "config.KAFKA_BROKERS: KEDA asks it for the lag" | quote }}
        consumerGroup: {{ include "loyaltyd.groupId" (list $root $process) | quote }}
        topic: {{ include "loyaltyd.variable" (list $root $process (printf "KAFKA_TOPIC_%s" $kind) (printf "loyalty.%s" (lower $kind))) | quote }}
        lagThreshold: {{ include "loyaltyd.text" $auto.lagThreshold | quote }}
        offsetResetPolicy: {{ ternary "latest" "earliest" (eq "latest" (include "loyaltyd.variable" (list $root $process "KAFKA_START_FROM" "earliest"))) }}
        allowIdleConsumers: 'false'
        excludePersistentLag: 'true'
        limitToPartitionsWithLag: 'true'
      {{- with $authentication }}
      authenticationRef: { name: {{ . }} }
      {{- end }}
    {{- end }}
    {{- end }}
    {{- with $auto.triggers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- if and $authentication (not $auto.authentication) }}
{{ include "loyaltyd.triggerAuthentication" (list $root $process $authentication) }}
{{- end }}
{{- end -}}

{{/* [root, process] -> name of what KEDA logs in by; empty on a plain Kafka */}}
{{- define "loyaltyd.kedaAuthentication" -}}
{{- $root := index . 0 -}}{{- $process := index . 1 -}}
{{- $mechanism := include "loyaltyd.variable" (list $root $process "KAFKA_SASL_MECHANISM" "") -}}
{{- $isSsl := or (has (include "loyaltyd.variable" (list $root $process "KAFKA_SSL" "")) (list "true" "1")) (hasKey $root.Values.files "KAFKA_SSL_CA_FILE") (hasKey $root.Values.files "KAFKA_SSL_CERT_FILE") -}}
{{- if $process.autoscaling.authentication -}}
{{ $process.autoscaling.authentication }}
{{- else if and (has "ingest" $process.roles) (or $mechanism $isSsl) -}}
{{- if eq $mechanism "oauthbearer" -}}{{- fail (printf "processes.%s.autoscaling.authentication: KEDA cannot log in by our token; name a TriggerAuthentication of your own" $process.name) -}}{{- end -}}
{{ $process.fullname }}-kafka
{{- end -}}
{{- end -}}

{{/* [root, process, name] */}}
{{- define "loyaltyd.triggerAuthentication" -}}
{{- $root := index . 0 -}}{{- $process := index . 1 -}}{{- $files := $root.Values.files -}}
{{- $mechanism := include "loyaltyd.variable" (list $root $process "KAFKA_SASL_MECHANISM" "") -}}
{{- $sasl := get (dict "plain" "plaintext" "scram-sha-256" "scram_sha256" "scram-sha-512" "scram_sha512") $mechanism -}}
{{- $settings := dict -}}
{{- if $sasl -}}{{- $_ := set $settings "sasl" $sasl -}}{{- $_ := set $settings "username" (include "loyaltyd.variable" (list $root $process "KAFKA_SASL_USERNAME" "")) -}}{{- end -}}
{{- if or (has (include "loyaltyd.variable" (list $root $process "KAFKA_SSL" "")) (list "true" "1")) $files.KAFKA_SSL_CA_FILE $files.KAFKA_SSL_CERT_FILE -}}{{- $_ := set $settings "tls" "enable" -}}{{- end -}}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ index . 2 }}
  namespace: {{ $root.Release.Namespace }}
  labels: {{ include "loyaltyd.labels" $root | nindent 4 }}
data: {{ toYaml $settings | nindent 2 }}
---
apiVersion: keda.sh/v1alpha1
kind: TriggerAuthentication
metadata:
  name: {{ index . 2 }}
  namespace: {{ $root.Release.Namespace }}
  labels: {{ include "loyaltyd.labels" $root | nindent 4 }}
spec:
  configMapTargetRef:
    {{- range $parameter, $_ := $settings }}
    - { parameter: {{ $parameter }}, name: {{ index $ 2 }}, key: {{ $parameter }} }
    {{- end }}
    {{- range $parameter, $variable := dict "ca" "KAFKA_SSL_CA_FILE" }}
    {{- with get $files $variable }}{{ if .configMap }}
    - { parameter: {{ $parameter }}, name: {{ .configMap | quote }}, key: {{ .key | quote }} }
    {{- end }}{{ end }}
    {{- end }}
  {{- $secrets := list }}
  {{- range $parameter, $variable := dict "ca" "KAFKA_SSL_CA_FILE" "cert" "KAFKA_SSL_CERT_FILE" "key" "KAFKA_SSL_KEY_FILE" }}
  {{- with get $files $variable }}{{ if .secret }}{{ $secrets = append $secrets (dict "parameter" $parameter "name" .secret "key" .key) }}{{ end }}{{ end }}
  {{- end }}
  {{- if $sasl }}
  {{- with $root.Values.secrets.KAFKA_SASL_PASSWORD }}{{ $secrets = append $secrets (dict "parameter" "password" "name" .name "key" .key) }}{{ end }}
  {{- end }}
  {{- with $secrets }}
  secretTargetRef: {{ toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
