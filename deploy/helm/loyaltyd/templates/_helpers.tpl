{{- define "loyaltyd.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* Names of objects get a suffix of up to 23 characters. */}}
{{- define "loyaltyd.fullname" -}}
{{- $name := include "loyaltyd.name" . -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- default $full .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "loyaltyd.selectorLabels" -}}
app.kubernetes.io/name: {{ include "loyaltyd.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "loyaltyd.labels" -}}
{{ include "loyaltyd.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.labels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "loyaltyd.image" -}}
{{- $image := .Values.image -}}
{{- $repository := required "image.repository: say where you pushed the image" $image.repository -}}
{{- if $image.digest -}}
{{ printf "%s@%s" $repository $image.digest }}
{{- else -}}
{{ printf "%s:%s" $repository (default .Chart.AppVersion $image.tag) }}
{{- end -}}
{{- end -}}

{{- define "loyaltyd.serviceAccountName" -}}
{{- $account := .Values.serviceAccount -}}
{{- ternary (default (include "loyaltyd.fullname" .) $account.name) (default "default" $account.name) $account.create -}}
{{- end -}}

{{/* [base, over] -> YAML. Unlike mergeOverwrite, false, 0 and empty lists win over what the base says. */}}
{{- define "loyaltyd.merge" -}}
{{- $out := deepCopy (index . 0) -}}
{{- range $key, $value := index . 1 -}}
  {{- $old := get $out $key -}}
  {{- if and (kindIs "map" $value) (kindIs "map" $old) -}}
    {{- $_ := set $out $key (include "loyaltyd.merge" (list $old $value) | fromYaml) -}}
  {{- else if not (kindIs "invalid" $value) -}}
    {{- $_ := set $out $key $value -}}
  {{- end -}}
{{- end -}}
{{- toYaml $out -}}
{{- end -}}

{{/* The enabled processes, each complete, by name -> YAML. */}}
{{- define "loyaltyd.processes" -}}
{{- $processes := dict -}}
{{- range $name, $given := .Values.processes -}}
  {{- $process := include "loyaltyd.merge" (list $.Values.defaults (default dict $given)) | fromYaml -}}
  {{- if and $process.enabled (not (kindIs "invalid" $given)) -}}
    {{- if not $process.roles -}}
      {{- fail (printf "processes.%s.roles: which of ingest, delivery, operations and door?" $name) -}}
    {{- end -}}
    {{- $_ := set $process "name" $name -}}
    {{- $_ := set $process "fullname" (printf "%s-%s" (include "loyaltyd.fullname" $) $name) -}}
    {{- $_ := set $processes $name $process -}}
  {{- end -}}
{{- end -}}
{{- if not $processes -}}{{- fail "processes: none is enabled" -}}{{- end -}}
{{- toYaml $processes -}}
{{- end -}}

{{/* A value as a variable has it: large numbers without an exponent. */}}
{{- define "loyaltyd.text" -}}
{{- if kindIs "float64" . -}}
{{- ternary (printf "%.0f" .) (toString .) (eq (floor .) .) -}}
{{- else -}}
{{- toString . -}}
{{- end -}}
{{- end -}}

{{/* [root, process, variable, default] -> what the process has it set to. */}}
{{- define "loyaltyd.variable" -}}
{{- $root := index . 0 -}}{{- $name := index . 2 -}}
{{- $set := include "loyaltyd.merge" (list $root.Values.config (index . 1).config) | fromYaml -}}
{{- if hasKey $set $name -}}{{- include "loyaltyd.text" (get $set $name) -}}{{- else -}}{{- index . 3 -}}{{- end -}}
{{- end -}}

{{- define "loyaltyd.memoryMi" -}}
{{- if regexMatch "^[0-9]+Mi$" . -}}{{ trimSuffix "Mi" . }}
{{- else if regexMatch "^[0-9]+Gi$" . -}}{{ mul 1024 (trimSuffix "Gi" . | int) }}
{{- else -}}{{ fail (printf "resources.limits.memory: %s must be in whole Mi or Gi, for Node is told how much there is" .) }}
{{- end -}}
{{- end -}}

{{/* process -> NODE_OPTIONS */}}
{{- define "loyaltyd.nodeOptions" -}}
{{- $options := list -}}
{{- with ((.resources).limits).memory -}}
  {{- $limitMi := include "loyaltyd.memoryMi" (toString .) | int -}}
  {{- $heapMi := div (mul $limitMi (int $.node.heapPercent)) 100 -}}
  {{- $options = list (printf "--max-old-space-size=%d" $heapMi) (printf "--max-semi-space-size=%d" (min 64 (max 1 (div $limitMi 16)))) -}}
{{- end -}}
{{- with .node.options -}}{{- $options = append $options . -}}{{- end -}}
{{- join " " $options -}}
{{- end -}}
