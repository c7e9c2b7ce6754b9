{{/* Labels that select the pods of a component: dict "top" $ "component" "api". */}}
{{- define "trilho.labels" -}}
app.kubernetes.io/name: trilho
app.kubernetes.io/instance: {{ .top.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* The newest build; nothing where none is listed, which check.yaml refuses. */}}
{{- define "trilho.newestBuild" -}}
{{- with .Values.builds }}{{ (first .).id }}{{ end }}
{{- end }}

{{/* The build of the API. */}}
{{- define "trilho.apiBuild" -}}
{{- default (include "trilho.newestBuild" .) .Values.api.build }}
{{- end }}

{{/*
The pod of a process. Its `settings` are those of the values, without what the Worker Controller sets; `port` is that of
health and metrics, absent for the hook.
*/}}
{{- define "trilho.pod" -}}
{{- $values := .top.Values -}}
serviceAccountName: {{ $values.serviceAccountName }}
automountServiceAccountToken: false
# Otherwise a Service named trilho-worker would set TRILHO_WORKER_PORT.
enableServiceLinks: false
terminationGracePeriodSeconds: {{ .graceSeconds }}
imagePullSecrets: {{ toJson $values.imagePullSecrets }}
{{- with $values.pod }}
{{ toYaml . }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- if .port }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "trilho.labels" . | nindent 8 }}
{{- end }}
containers:
  - name: {{ .component }}
    image: {{ printf "%s:%s" $values.image.repository .build }}
    imagePullPolicy: {{ $values.image.pullPolicy }}
    command: {{ toJson .command }}
    envFrom: [{ secretRef: { name: {{ .secret | default $values.secret | quote }} } }]
    env:
      - { name: TRILHO_BUILD_ID, value: {{ .build | quote }} }
      - { name: TRILHO_WORKER_PORT, value: "3001" }
      {{- if $values.storageClaim }}
      - { name: TRILHO_STORAGE_FOLDER, value: /files }
      {{- end }}
      {{- range $name, $value := .settings }}
      - { name: {{ $name }}, value: {{ $value | quote }} }
      {{- end }}
    {{- with .port }}
    ports: [{ name: http, containerPort: {{ . }} }]
    livenessProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 }
    readinessProbe: { httpGet: { path: /readyz, port: http }, periodSeconds: 5, timeoutSeconds: 3 }
    {{- end }}
    resources: {{ toJson .resources }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: { drop: [ALL] }
    volumeMounts:
      # What is uploaded, and reports while they are written.
      - { name: tmp, mountPath: /tmp }
      {{- if $values.storageClaim }}
      - { name: files, mountPath: /files }
      {{- end }}
      {{- if $values.filesSecret }}
      - { name: secrets, mountPath: /secrets, readOnly: true }
      {{- end }}
volumes:
  - { name: tmp, emptyDir: { sizeLimit: 2Gi } }
  {{- with $values.storageClaim }}
  - { name: files, persistentVolumeClaim: { claimName: {{ . | quote }} } }
  {{- end }}
  {{- with $values.filesSecret }}
  - { name: secrets, secret: { secretName: {{ . | quote }} } }
  {{- end }}
{{- end }}

{{/* The pod of a worker: dict "top" $ "build" … "command" … "settings" …; its grace period is longer than the 40 s of its own limit. */}}
{{- define "trilho.workerPod" -}}
{{- include "trilho.pod" (merge (dict "component" "worker" "port" 3001 "graceSeconds" 45 "resources" .top.Values.workers.resources) .) }}
{{- end }}

{{/* What a HorizontalPodAutoscaler of workers measures. With an age of 0, CPU keeps it from taking the workers away that cause it. */}}
{{- define "trilho.scaling" -}}
{{- $scaling := .Values.workers.autoscaling -}}
minReplicas: {{ .Values.workers.replicas }}
maxReplicas: {{ $scaling.maxReplicas }}
metrics:
  - type: External
    external: { metric: { name: trilho_task_oldest_seconds }, target: { type: Value, value: {{ $scaling.taskAge | quote }} } }
  - type: Resource
    resource: { name: cpu, target: { type: Utilization, averageUtilization: {{ $scaling.cpuPercent }} } }
{{- end }}

{{/* A PodDisruptionBudget of a component, whatever its builds. */}}
{{- define "trilho.budget" -}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .top.Release.Name }}-{{ .component }}
  labels: {{- include "trilho.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels: {{- include "trilho.labels" . | nindent 6 }}
{{- end }}
