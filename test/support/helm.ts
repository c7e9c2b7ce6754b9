import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildWithGo } from '../../packages/dev/binaries/go-build.ts'
import { buildOnce } from '../../packages/dev/binaries/temporal-binary.ts'
import { readLocalConfig } from '../../packages/dev/config.ts'
import { installPythonPackages } from './python-packages.ts'

/** What renders and checks the chart of deploy/helm, each installed once for all clones. */

const programs = { name: 'helm', version: '4.3.1', packages: ['helm.sh/helm/v4/cmd/helm'], minutes: 5 }
/** Has the schemas of Kubernetes of its own version. */
const VALIDATOR_VERSION = '1.37.0'

/** Finds the helm that `npm run helm` has built; undefined where it has not. Its messages are those of one version, so that none on PATH is used. */
export function findHelm(): string | undefined {
  const file = join(getHelmFolder(), 'helm')
  return existsSync(file) ? file : undefined
}

/** Builds helm from its Go module into this machine's cache, unless it is there. No test starts this: it takes minutes. */
export async function buildHelm(): Promise<void> {
  const { environment } = readLocalConfig()
  const print = (line: string) => void process.stdout.write(`${line}\n`)
  const isBuilt = () => findHelm() !== undefined
  await buildOnce(getHelmFolder(), { isBuilt, print }, async empty => {
    if (!(await buildWithGo(empty, programs, { environment, print })))
      throw new Error('helm is not built: install Go (https://go.dev/dl).')
  })
}

const getHelmFolder = () => join(readLocalConfig().cacheHome, 'trilho', `helm-${programs.version}`)

/** Finds what validates a file of manifests against the schemas of Kubernetes; undefined where there is no Python. */
export async function resolveManifestValidator(): Promise<((file: string) => Promise<string[]>) | undefined> {
  const module = 'kubernetes_validate'
  const installed = await installPythonPackages({
    name: `kubernetes-validate-${VALIDATOR_VERSION}`,
    requirements: [`kubernetes-validate==${VALIDATOR_VERSION}`],
    module,
  })
  if (installed.kind === 'missing') return undefined
  return async file => {
    const run = promisify(execFile)
    const { stdout } = await run(installed.python, ['-m', module, '--strict', file]).catch(error => error)
    return stdout.trim().split('\n')
  }
}
