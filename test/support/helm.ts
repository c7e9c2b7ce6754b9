import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildWithGo } from '../../packages/dev/binaries/go-build.ts'
import { buildOnce } from '../../packages/dev/binaries/temporal-binary.ts'
import { readLocalConfig } from '../../packages/dev/config.ts'
import { installPythonPackages } from './python-packages.ts'

/** What renders and checks the chart of deploy/helm, each installed once for all clones. */

const run = promisify(execFile)
const programs = { name: 'helm', version: '4.3.1', packages: ['helm.sh/helm/v4/cmd/helm'], minutes: 5 }
/** Has the schemas of Kubernetes of its own version. */
const VALIDATOR_VERSION = '1.37.0'

/** Finds helm in this machine's cache, built from its Go module at the first use; undefined where there is no Go. */
export async function resolveHelm(): Promise<string | undefined> {
  const { cacheHome, environment } = readLocalConfig()
  const folder = join(cacheHome, 'trilho', `helm-${programs.version}`)
  const file = join(folder, 'helm')
  const isBuilt = () => existsSync(file)
  if (isBuilt()) return file
  const isGoThere = await run('go', ['version']).then(
    () => true,
    () => false,
  )
  if (!isGoThere) return undefined
  const print = (line: string) => void process.stdout.write(`${line}\n`)
  await buildOnce(folder, { isBuilt, print }, async empty => {
    await buildWithGo(empty, programs, { environment, print })
  })
  return file
}

/** Finds what validates a file of manifests against the schemas of Kubernetes; undefined where there is no Python. */
export async function resolveManifestValidator(): Promise<
  ((file: string) => Promise<string[]>) | undefined
> {
  const module = 'kubernetes_validate'
  const installed = await installPythonPackages({
    name: `kubernetes-validate-${VALIDATOR_VERSION}`,
    requirements: [`kubernetes-validate==${VALIDATOR_VERSION}`],
    module,
  })
  if (installed.kind === 'missing') return undefined
  return async file => {
    const { stdout } = await run(installed.python, ['-m', module, '--strict', file]).catch(error => error)
    return stdout.trim().split('\n')
  }
}
