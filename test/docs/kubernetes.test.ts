import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from '@jest/globals'
import { parse, parseAllDocuments } from 'yaml'
import { buildDashboards } from '../../deploy/grafana/dashboards.ts'
import { environmentSchema } from '../../src/config.ts'
import { findHelm, resolveManifestValidator } from '../support/helm.ts'
import { createTemporaryFolder } from '../support/servers.ts'
import { ROOT } from './support/documents.ts'

/** The chart of deploy/helm, where `npm run helm` has built helm: linted, rendered, and checked against the schemas of Kubernetes where Python is. */

const CHART = join(ROOT, 'deploy/helm/trilho')
const read = (file: string) => readFile(join(ROOT, file), 'utf8')
const helm = findHelm()
const chartTest = helm ? test : test.skip
if (!helm) test.skip('the chart is not tested: npm run helm builds helm', () => {})
const validate = helm ? await resolveManifestValidator() : undefined
if (helm && !validate) test.skip('manifests are not validated: there is no Python', () => {})
const folder = await createTemporaryFolder()
afterAll(() => folder.remove())

/** The values that every installation needs. */
const LEAST = {
  secret: 'trilho',
  image: { repository: 'registry.example/trilho' },
  builds: [{ id: '3a7c0e4' }],
  settings: {
    TEMPORAL_ADDRESS: 'temporal:7233',
    TRILHO_PUBLIC_URL: 'https://pix.shop.example',
    TRILHO_S3_BUCKET: 'files',
  },
}
const TWO_BUILDS = { builds: [{ id: '9b1d2f0' }, { id: '3a7c0e4', replicas: 1 }], api: { build: '3a7c0e4' } }
const EVERYTHING = {
  ...TWO_BUILDS,
  settings: { TRILHO_STORAGE: 'disk', TRILHO_DRAIN_SECONDS: '20' },
  storageClaim: 'files',
  filesSecret: 'authorities',
  pod: { nodeSelector: { pool: 'payments' } },
  imagePullSecrets: [{ name: 'registry' }],
  prepare: { secret: 'direct' },
  workers: { autoscaling: { enabled: true } },
  monitoring: { enabled: true, labels: { release: 'prometheus' } },
}
const CONTROLLER = {
  controller: { enabled: true, connection: 'temporal' },
  workers: { autoscaling: { enabled: true } },
}
/** Arguments of helm: the values of a size, or values of ours. */
const CASES: Record<string, string[]> = {
  ...Object.fromEntries(
    ['1', '10', '100'].map(one => [`charges-${one}`, ['-f', join(ROOT, `deploy/helm/charges-${one}.yaml`)]]),
  ),
  everything: ['--set-json', JSON.stringify(EVERYTHING)],
  controller: ['--set-json', JSON.stringify(CONTROLLER)],
}

/** Runs a command of helm with the least values and then others; returns what it prints, also where it fails. */
function runHelm(
  [command, ...args]: string[],
  ...values: object[]
): Promise<{ stdout: string; stderr: string }> {
  const set = (value: object) => ['--set-json', JSON.stringify(value)]
  const all = [command!, ...set(LEAST), ...args, ...values.flatMap(set)]
  const env = { PATH: process.env.PATH, HOME: folder.path }
  return promisify(execFile)(helm!, all, { env, maxBuffer: 1 << 26 }).catch(error => error)
}

type Manifest = {
  apiVersion: string
  kind: string
  metadata: { name: string; annotations?: Record<string, string> }
  // biome-ignore lint/suspicious/noExplicitAny: the fields differ by kind, and are compared as they are
  spec: any
  data?: Record<string, string>
}

/** The manifests of each case. */
const manifests: Record<string, Manifest[]> = {}
if (helm)
  for (const [name, args] of Object.entries(CASES)) {
    const { stdout, stderr } = await runHelm(['template', 'trilho', CHART, ...args])
    if (!stdout) throw new Error(`${name}: ${stderr}`)
    manifests[name] = parseAllDocuments(stdout).flatMap(one => one.toJS() ?? [])
  }

const find = (kind: string, name: string, among = manifests.everything!) =>
  among.find(one => one.kind === kind && one.metadata.name === name)!
const listPods = (among: Manifest[]) =>
  among.flatMap(({ spec }) => (spec?.template?.spec?.containers ? [spec.template.spec] : []))

chartTest.each(Object.entries(CASES))('the chart for %s has no lint', async (_, args) => {
  const { stdout } = await runHelm(['lint', CHART, '--strict', '--quiet', ...args])
  expect(stdout).toBe('')
})

const validatorTest = validate ? test : test.skip
validatorTest('every manifest fits the schema of its kind', async () => {
  const file = join(folder.path, 'manifests.yaml')
  const all = Object.values(manifests).flat().flatMap(toKnownKinds)
  await writeFile(file, all.map(one => JSON.stringify(one)).join('\n---\n'))
  const lines = await validate!(file)
  expect(lines.filter(line => !line.startsWith('INFO'))).toEqual([])
  expect(lines).toHaveLength(all.length)
  await writeFile(file, JSON.stringify({ ...all[0], spec: { replicsa: 1 } }))
  expect((await validate!(file)).join()).toContain('replicsa')
})

/** Fields of `spec` that operators define for their kinds: those that are needed, and others. */
const OPERATORS_KINDS: Record<string, [needed: string[], others: string[]]> = {
  ServiceMonitor: [['selector', 'endpoints'], []],
  PrometheusRule: [['groups'], []],
  WorkerDeployment: [['template', 'rollout', 'sunset', 'workerOptions'], ['replicas']],
  WorkerResourceTemplate: [['workerDeploymentRef', 'template'], []],
}

/** Checks the fields of an operator's kind, and turns it into the kinds of Kubernetes that it contains. */
function toKnownKinds(manifest: Manifest): object[] {
  const { apiVersion, kind, metadata, spec } = manifest
  const [needed, others] = OPERATORS_KINDS[kind] ?? []
  if (!needed) return [manifest]
  expect(apiVersion).toBe(kind.startsWith('Worker') ? 'temporal.io/v1alpha1' : 'monitoring.coreos.com/v1')
  expect(Object.keys(spec)).toEqual(expect.arrayContaining(needed))
  expect([...needed, ...others!]).toEqual(expect.arrayContaining(Object.keys(spec)))
  if (kind === 'WorkerDeployment') {
    const selector = { matchLabels: spec.template.metadata.labels }
    return [
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { selector, template: spec.template } },
    ]
  }
  if (kind !== 'WorkerResourceTemplate') return []
  expect(spec.template.spec.scaleTargetRef).toEqual({}) // The controller fills it in.
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'of-a-build' }
  return [{ ...spec.template, metadata, spec: { ...spec.template.spec, scaleTargetRef } }]
}

chartTest(
  'every pod runs as the image’s user over a read-only file system, without a token or a capability',
  () => {
    const pods = Object.values(manifests).flatMap(listPods)
    expect(pods.length).toBeGreaterThan(14)
    for (const pod of pods)
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          {
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
            resources: { requests: { cpu: expect.any(String) }, limits: { memory: expect.any(String) } },
          },
        ],
      })
  },
)

chartTest(
  'every pod runs a program of the image, and is probed and scraped at the port that it listens at',
  async () => {
    const all = [...manifests.everything!, ...manifests.controller!]
    const containers = listPods(all).flatMap(pod => pod.containers)
    for (const { name, command, ports, livenessProbe, readinessProbe } of containers) {
      const programs: string[] = command.join(' ').match(/dist\/\w+\.js/g)
      for (const program of programs)
        expect(existsSync(join(ROOT, program.replace(/^dist\/(.*)\.js$/, 'src/$1.ts')))).toBe(true)
      if (name === 'prepare') continue
      const containerPort = name === 'api' ? environmentSchema.shape.PORT.parse(undefined) : 3001
      expect(ports).toEqual([{ name: 'http', containerPort }])
      expect(find('Service', `trilho-${name}`).spec.ports).toEqual([
        { name: 'http', port: containerPort, targetPort: 'http' },
      ])
      for (const probe of [livenessProbe, readinessProbe]) expect(probe.httpGet.port).toBe('http')
    }
    expect(find('ServiceMonitor', 'trilho').spec.endpoints).toMatchObject([
      { port: 'http', path: '/metrics' },
    ])
    const { services } = parse(await read('docker-compose.yml'), { merge: true })
    const prepare = find('Job', 'trilho-prepare')
    expect(prepare.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' })
    expect(prepare.spec.template.spec.containers[0].command).toEqual(services.prepare.command)
  },
)

describe('builds', () => {
  chartTest('have a Deployment each, which Helm keeps, and the API is of the current one', () => {
    for (const { id } of TWO_BUILDS.builds) {
      const { metadata, spec } = find('Deployment', `trilho-worker-${id}`)
      expect(metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' })
      expect(spec.selector.matchLabels['trilho/build']).toBe(id)
      expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels)
      expect(spec.template.spec.containers[0].env).toContainEqual({ name: 'TRILHO_BUILD_ID', value: id })
      expect(spec.template.spec.containers[0].image).toBe(`registry.example/trilho:${id}`)
    }
    const imageOf = ({ spec }: Manifest) => spec.template.spec.containers[0].image
    expect(imageOf(find('Deployment', 'trilho-api'))).toMatch(/:3a7c0e4$/)
    expect(imageOf(find('Job', 'trilho-prepare'))).toMatch(/:9b1d2f0$/)
  })

  chartTest('are scaled by the age of waiting tasks, except one with replicas of its own', async () => {
    const scaled = manifests.everything!.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')
    expect(scaled.map(({ spec }) => spec.scaleTargetRef.name)).toEqual(['trilho-worker-9b1d2f0'])
    const metric = scaled[0]!.spec.metrics[0].external.metric.name
    expect(await read('src/metrics/api-metrics.ts')).toContain(`'${metric}'`)
    const replicas = TWO_BUILDS.builds.map(
      ({ id }) => find('Deployment', `trilho-worker-${id}`).spec.replicas,
    )
    expect(replicas).toEqual([undefined, 1])
  })

  chartTest('of the Worker Controller are named by it, and Helm keeps what they belong to', () => {
    expect(manifests.controller!.filter(({ kind }) => kind === 'Deployment')).toHaveLength(1)
    const { metadata, spec } = find('WorkerDeployment', 'trilho-worker', manifests.controller)
    expect(metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' })
    const [{ command, env }] = spec.template.spec.containers
    expect(command.at(-1)).toMatch(
      /^TRILHO_BUILD_ID=\$TEMPORAL_WORKER_BUILD_ID TRILHO_DEPLOYMENT=\$TEMPORAL_DEPLOYMENT_NAME exec /,
    )
    // It appends these to the pod's.
    for (const { name } of env) expect(name).not.toMatch(/^TEMPORAL_(ADDRESS|NAMESPACE)$/)
  })
})

const SECRET = [
  ...['DATABASE_URL', 'TEMPORAL_API_KEY', 'TRILHO_METRICS_TOKEN', 'TRILHO_SECRET_KEY', 'TRILHO_SMS_TOKEN'],
  ...['TRILHO_SMTP_URL', 'TRILHO_S3_ACCESS_KEY_ID', 'TRILHO_S3_SECRET_ACCESS_KEY'],
]
/** Set by the chart or the image, or refused by production. */
const NO_SETTINGS = [
  ...['HOST', 'PORT', 'TRILHO_BUILD_ID', 'TRILHO_STORAGE_FOLDER', 'TRILHO_WORKER_PORT', 'TRILHO_ENVIRONMENT'],
  ...['TRILHO_LOOPBACK_WEBHOOKS', 'TRILHO_OUTBOX', 'TRILHO_TIME_SCALE', 'TRILHO_UNSAFE_DATABASE'],
]

test('settings are the variables of production that are not secret, and those of Node and OpenTelemetry', async () => {
  const schema = JSON.parse(await read('deploy/helm/trilho/values.schema.json'))
  const allowed: string[] = schema.properties.settings.propertyNames.enum
  const variables = Object.keys(environmentSchema.shape)
  expect(allowed.filter(name => variables.includes(name) || !/^(NODE|OTEL)_/.test(name))).toEqual(
    variables.filter(name => !SECRET.includes(name) && !NO_SETTINGS.includes(name)).sort(),
  )
})

chartTest('secrets are given by reference only', () => {
  expect(manifests.everything!.filter(({ kind }) => kind === 'Secret')).toEqual([])
  for (const { containers } of listPods(manifests.everything!)) {
    const name = containers[0].name === 'prepare' ? 'direct' : 'trilho'
    expect(containers[0].envFrom).toEqual([{ secretRef: { name } }])
    for (const variable of containers[0].env) expect(SECRET).not.toContain(variable.name)
  }
})

chartTest.each<[what: string, values: object, message: RegExp]>([
  ['no Secret', { secret: '' }, /: secret is missing: the name of a Secret with DATABASE_URL and/],
  ['no build', { builds: [] }, /builds is empty/],
  ['two builds and none that is current', { ...TWO_BUILDS, api: {} }, /api\.build is missing/],
  ['an API without workers', { ...TWO_BUILDS, api: { build: 'c0ffee1' } }, /api\.build is none of builds/],
  ['a build twice', { builds: [{ id: 'a' }, { id: 'a' }], api: { build: 'a' } }, /lists a build twice/],
  ['a disk without a claim', { settings: { TRILHO_STORAGE: 'disk' } }, /storageClaim is missing/],
  ['a controller without a connection', { controller: { enabled: true } }, /connection is missing/],
  [
    'more than one fault',
    { secret: '', settings: { TEMPORAL_ADDRESS: '' } },
    /secret is missing.*; settings.TEMPORAL_ADDRESS is missing/,
  ],
])('%s is refused in one line', async (_, values, message) => {
  const { stderr } = await runHelm(['template', 'trilho', CHART], values)
  expect(listErrors(stderr)).toEqual([expect.stringMatching(message)])
})

chartTest.each<[what: string, settings: object, message: string]>([
  ['a secret among the settings', { DATABASE_URL: 'postgres://trilho:password@db/trilho' }, 'DATABASE_URL'],
  ['a setting of development', { TRILHO_TIME_SCALE: '60' }, 'TRILHO_TIME_SCALE'],
  ['a number, which a template writes as 1e+06', { TRILHO_RATE_LIMIT: 1_000_000 }, 'TRILHO_RATE_LIMIT'],
])('%s is refused', async (_, settings, message) => {
  const { stdout, stderr } = await runHelm(['template', 'trilho', CHART], { settings })
  expect(stdout).toBe('')
  expect(stderr).toContain(message)
  expect(stderr).not.toContain('password')
})

chartTest.each<[what: string, data: object | null, message: string]>([
  [
    'that does not exist',
    null,
    'there is no Secret trilho in namespace pay: create it with DATABASE_URL and',
  ],
  ['without a key', { DATABASE_URL: 'eA==' }, 'Secret trilho has no key TRILHO_SECRET_KEY'],
])('a Secret %s is refused before anything is installed', async (_, data, message) => {
  const cluster = await startCluster(data)
  try {
    const server = ['--kube-apiserver', cluster.url, '--namespace', 'pay', '--dry-run=server']
    const { stderr } = await runHelm(['install', 'trilho', CHART, ...server])
    expect(listErrors(stderr)).toEqual([expect.stringContaining(message)])
  } finally {
    cluster.stop()
  }
})

/** Lists the lines that are errors; the log of helm has lines of other levels. */
function listErrors(stderr: string): string[] {
  return stderr.split('\n').filter(line => line !== '' && !/level=|^I\d{4} /.test(line))
}

/** Answers as the API server of a cluster with the namespace `pay`, whose Secret has this data. */
async function startCluster(data: object | null): Promise<{ url: string; stop(): void }> {
  const resources = [
    { name: 'secrets', kind: 'Secret', namespaced: true, verbs: ['get'] },
    { name: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true, verbs: ['get'] },
  ]
  const answers: Record<string, object | null> = {
    '/version': { major: '1', minor: '34', gitVersion: 'v1.34.0' },
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
    '/api/v1': { kind: 'APIResourceList', groupVersion: 'v1', resources },
    '/api/v1/namespaces/pay/secrets/trilho': data && { apiVersion: 'v1', kind: 'Secret', metadata: {}, data },
    '/api/v1/namespaces/pay/serviceaccounts/default': { apiVersion: 'v1', kind: 'ServiceAccount' },
  }
  const server = createServer(({ url }, response) => {
    const answer = answers[new URL(url!, 'http://cluster').pathname]
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify(answer ?? { kind: 'Status', apiVersion: 'v1', reason: 'NotFound', code: 404 }),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = () => void server.close()
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

test.each(['10', '100'])(
  'the values for %s charges a second have the cores that README.md counts',
  async charges => {
    const row = new RegExp(`^\\| ${charges} \\|[^|]*\\| (\\d+) process[^|]*\\| (\\d+) process`, 'm')
    const [, workers, api] = row.exec(await read('README.md'))!
    const values = parse(await read(`deploy/helm/charges-${charges}.yaml`))
    const cores = [values.workers, values.api].map(({ replicas, resources }) => {
      const { cpu } = resources.requests
      return replicas * (cpu.endsWith('m') ? Number.parseInt(cpu, 10) / 1_000 : Number(cpu))
    })
    expect(cores[0]).toBeGreaterThanOrEqual(Number(workers))
    expect(cores[1]).toBeGreaterThanOrEqual(Number(api))
  },
)

chartTest('Prometheus gets the rules of deploy/alerts.yml, and Grafana every dashboard', async () => {
  expect(find('PrometheusRule', 'trilho').spec).toEqual(parse(await read('deploy/alerts.yml')))
  const dashboards = buildDashboards().map(([file, text]) => [`trilho-${file}`, text])
  expect(find('ConfigMap', 'trilho-dashboards').data).toEqual(Object.fromEntries(dashboards))
})
