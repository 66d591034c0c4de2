{{/* Where what is mounted lies. */}}
{{- define "loyaltyd.mounts" -}}
mounted: /etc/loyaltyd/mounted
programs: /etc/loyaltyd/programs
dialect: /etc/loyaltyd/dialect
{{- end -}}

{{- define "loyaltyd.hasDialect" -}}
{{- if or .Values.dialect.text .Values.dialect.configMap -}}true{{- end -}}
{{- end -}}

{{/*
Values that carry a secret end up in the release, in the manifest and in whatever holds your values.
[value they come from, variables by name] -> fails for a secret, by its name, or by a user in its address
*/}}
{{- define "loyaltyd.refuseSecrets" -}}
{{- $from := index . 0 -}}
{{- range $name, $value := index . 1 -}}
  {{- $isNamed := or (regexMatch "(PASSWORD|SECRET|TOKENS?|KEYS?|HEADERS|JWT)$" $name) (has $name (list "DATABASE_URL" "WALLET_CLIENT_ID")) -}}
  {{- if or $isNamed (regexMatch "://[^/?#]*@" (include "loyaltyd.text" $value)) -}}
    {{- fail (printf "%s.%s: this is a secret; name an existing one: secrets.%s: { name: ..., key: ... }" $from $name $name) -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{- define "loyaltyd.refuseOurs" -}}
{{- $from := dict "LOYALTYD_ROLES" "processes.*.roles" "LOYALTYD_PROGRAMS" "programs" "OPS_PORT" "ports.operations" "NODE_OPTIONS" "defaults.node.options" -}}
{{- range $name := . -}}
  {{- with get $from $name -}}{{- fail (printf "config.%s: the chart sets it from the value %s" $name .) -}}{{- end -}}
{{- end -}}
{{- end -}}

{{/* [root, process] -> whether the pod's service account logs in to Vault, by a token that is mounted for that */}}
{{- define "loyaltyd.hasVaultLogin" -}}
{{- $root := index . 0 -}}
{{- $role := include "loyaltyd.variable" (list $root (index . 1) "VAULT_KUBERNETES_ROLE" "") -}}
{{- if and $role (not (hasKey $root.Values.secrets "VAULT_KUBERNETES_JWT")) -}}true{{- end -}}
{{- end -}}

{{/* [root, process] -> variables by name, as YAML. `config` has the last word on what it may set. */}}
{{- define "loyaltyd.variables" -}}
{{- $root := index . 0 -}}{{- $process := index . 1 -}}
{{- $mounts := include "loyaltyd.mounts" $root | fromYaml -}}
{{- $config := include "loyaltyd.merge" (list $root.Values.config $process.config) | fromYaml -}}
{{- include "loyaltyd.refuseSecrets" (list "config" $config) -}}
{{- range $process.extraEnv -}}
  {{- if hasKey . "value" -}}{{- include "loyaltyd.refuseSecrets" (list "extraEnv" (dict .name .value)) -}}{{- end -}}
{{- end -}}
{{- include "loyaltyd.refuseOurs" (keys $config | sortAlpha) -}}
{{- $set := dict "LOYALTYD_ROLES" (join "," $process.roles) "OPS_PORT" $root.Values.ports.operations -}}
{{- $_ := set $set "LOYALTYD_PROGRAMS" (printf "%s/loyaltyd.yaml" $mounts.programs) -}}
{{- if include "loyaltyd.hasDialect" $root -}}{{- $_ := set $set "WALLET_DIALECT" (printf "%s/dialect.yaml" $mounts.dialect) -}}{{- end -}}
{{- with include "loyaltyd.nodeOptions" $process -}}{{- $_ := set $set "NODE_OPTIONS" . -}}{{- end -}}
{{- range $name, $_ := $root.Values.secrets -}}{{- $_ := set $set (printf "%s_FILE" $name) (printf "%s/%s" $mounts.mounted $name) -}}{{- end -}}
{{- range $name, $_ := $root.Values.files -}}{{- $_ := set $set $name (printf "%s/%s" $mounts.mounted $name) -}}{{- end -}}
{{- if include "loyaltyd.hasVaultLogin" . -}}{{- $_ := set $set "VAULT_KUBERNETES_JWT_FILE" (printf "%s/VAULT_KUBERNETES_JWT" $mounts.mounted) -}}{{- end -}}
{{- range $name, $value := $config -}}{{- $_ := set $set $name $value -}}{{- end -}}
{{- range $name, $value := $set }}
{{ $name }}: {{ include "loyaltyd.text" $value | quote }}
{{- end -}}
{{- end -}}

{{/* Where browsers find the console: `config.OPS_BASE_PATH` of the process with the role operations, without a slash at its end. */}}
{{- define "loyaltyd.basePath" -}}
{{- $path := "/" -}}
{{- range $process := include "loyaltyd.processes" . | fromYaml -}}
  {{- if has "operations" $process.roles -}}
    {{- $config := include "loyaltyd.merge" (list $.Values.config $process.config) | fromYaml -}}
    {{- $path = default "/" $config.OPS_BASE_PATH -}}
  {{- end -}}
{{- end -}}
{{- default "/" (trimSuffix "/" $path) -}}
{{- end -}}

{{/* As YAML. */}}
{{- define "loyaltyd.ingressPaths" -}}
{{- default (list (include "loyaltyd.basePath" .)) .Values.ingress.paths | toYaml -}}
{{- end -}}

{{/* [root, process] -> env of a container */}}
{{- define "loyaltyd.env" -}}
{{- range $name, $value := include "loyaltyd.variables" . | fromYaml }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- with (index . 1).extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* [root, process, with programs and dialect?] */}}
{{- define "loyaltyd.volumeMounts" -}}
{{- $root := index . 0 -}}{{- $mounts := include "loyaltyd.mounts" $root | fromYaml -}}
{{- if or $root.Values.secrets $root.Values.files (include "loyaltyd.hasVaultLogin" .) }}
- { name: mounted, mountPath: {{ $mounts.mounted }}, readOnly: true }
{{- end }}
{{- if index . 2 }}
- { name: programs, mountPath: {{ $mounts.programs }}, readOnly: true }
{{- if include "loyaltyd.hasDialect" $root }}
- { name: dialect, mountPath: {{ $mounts.dialect }}, readOnly: true }
{{- end }}
{{- end }}
{{- with (index . 1).extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* [root, process, with programs and dialect?]. No subPath anywhere: what is mounted by one never changes again. */}}
{{- define "loyaltyd.volumes" -}}
{{- $root := index . 0 -}}
{{- if or $root.Values.secrets $root.Values.files (include "loyaltyd.hasVaultLogin" .) }}
- name: mounted
  projected:
    defaultMode: 0440
    sources:
      {{- range $name, $secret := $root.Values.secrets }}
      - secret: { name: {{ $secret.name | quote }}, items: [{ key: {{ $secret.key | quote }}, path: {{ $name }} }] }
      {{- end }}
      {{- range $name, $file := $root.Values.files }}
      - {{ ternary "secret" "configMap" (hasKey $file "secret") }}: { name: {{ default $file.configMap $file.secret | quote }}, items: [{ key: {{ $file.key | quote }}, path: {{ $name }} }] }
      {{- end }}
      {{- if include "loyaltyd.hasVaultLogin" . }}
      - serviceAccountToken: { path: VAULT_KUBERNETES_JWT, expirationSeconds: 3600{{ with $root.Values.serviceAccount.vaultAudience }}, audience: {{ . | quote }}{{ end }} }
      {{- end }}
{{- end }}
{{- if index . 2 }}
- name: programs
  configMap: { name: {{ default (printf "%s-programs" (include "loyaltyd.fullname" $root)) $root.Values.programs.configMap }} }
{{- if include "loyaltyd.hasDialect" $root }}
- name: dialect
  configMap: { name: {{ default (printf "%s-dialect" (include "loyaltyd.fullname" $root)) $root.Values.dialect.configMap }} }
{{- end }}
{{- end }}
{{- with (index . 1).extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
