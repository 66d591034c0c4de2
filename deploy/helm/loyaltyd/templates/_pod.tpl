{{/* root -> what every pod of ours has, without containers and volumes */}}
{{- define "loyaltyd.podBasics" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext: {{ toYaml .Values.podSecurityContext | nindent 2 }}
{{- end -}}

{{/* root -> image and rights of a container of ours */}}
{{- define "loyaltyd.containerBasics" -}}
image: {{ include "loyaltyd.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext: {{ toYaml .Values.securityContext | nindent 2 }}
{{- end -}}

{{/* process, named parts only where given */}}
{{- define "loyaltyd.placement" -}}
{{- with .nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- end -}}

{{/* [root, process] -> seconds. The kubelet kills at the end of it: the daemon's own limit comes first. */}}
{{- define "loyaltyd.terminationSeconds" -}}
{{- $drain := (index . 0).Values.drain -}}
{{- $graceMs := include "loyaltyd.variable" (list (index . 0) (index . 1) "SHUTDOWN_GRACE_MS" "25000") | int -}}
{{- add $drain.preStopSleepSeconds $drain.marginSeconds (div (add $graceMs 999) 1000) -}}
{{- end -}}

{{/* One whole process of Helm's own, for jobs: the first one's settings, with the roles of all. */}}
{{- define "loyaltyd.everything" -}}
{{- $processes := include "loyaltyd.processes" . | fromYaml -}}
{{- $roles := list -}}{{- $config := dict -}}
{{- range $processes -}}
  {{- $roles = concat $roles .roles | uniq -}}
  {{- $config = include "loyaltyd.merge" (list $config .config) | fromYaml -}}
{{- end -}}
{{- $first := get $processes (keys $processes | sortAlpha | first) -}}
{{- include "loyaltyd.merge" (list $first (dict "roles" $roles "config" $config "resources" .Values.migration.resources)) -}}
{{- end -}}
