import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildOnce } from '../../packages/dev/binaries/temporal-binary.ts'
import { readLocalConfig } from '../../packages/dev/config.ts'

/** Python packages that tests use, installed once where a Python exists. */

/** All of them need at least Python 3.10. */
const VERSION_CHECK = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))'
/** Without a network it is given up sooner. */
const INSTALL_TIMEOUT_MS = 180_000
const SDK_FOLDER = join(import.meta.dirname, '../../sdk/python')

export type PythonInstallation = { kind: 'there'; python: string } | { kind: 'missing'; why: string }

/** A virtual environment in this machine's cache; `requirements` are arguments of `pip install`. */
type PythonPackages = { name: string; requirements: string[]; module: string }

/** Installs the packages that the Python SDK, its tests and its generator need, as its requirements.txt pins them. */
export function installSdkPackages(): Promise<PythonInstallation> {
  const file = join(SDK_FOLDER, 'requirements.txt')
  const version = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 12)
  return installPythonPackages({
    name: `python-sdk-${version}`,
    requirements: ['--require-hashes', '--requirement', file],
    module: 'pytest',
  })
}

/**
 * Installs packages at their first use. Modules are started by `python -m`: scripts of a virtual environment contain the
 * path of its installation, and a complete one is moved into place.
 */
export async function installPythonPackages({
  name,
  requirements,
  module,
}: PythonPackages): Promise<PythonInstallation> {
  const folder = join(readLocalConfig().cacheHome, 'trilho', name)
  const python = join(folder, 'bin', 'python')
  const isThere = () => succeeds(python, ['-m', module, '--version'])
  if (await isThere()) return { kind: 'there', python }
  if (!(await succeeds('python3', ['-c', VERSION_CHECK])))
    return { kind: 'missing', why: 'there is no Python 3.10 or newer with venv' }
  try {
    await buildOnce(
      folder,
      { isBuilt: isThere, print: line => process.stdout.write(`${line}\n`) },
      async emptyFolder => {
        const limit = { timeout: INSTALL_TIMEOUT_MS }
        await run('python3', ['-m', 'venv', emptyFolder], limit)
        const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--retries', '1']
        await run(join(emptyFolder, 'bin', 'python'), [...pip, ...requirements], limit)
      },
    )
  } catch (error) {
    return { kind: 'missing', why: `they cannot be installed: ${lastLineOf(error)}` }
  }
  return { kind: 'there', python }
}

const run = promisify(execFile)

function succeeds(command: string, args: string[]): Promise<boolean> {
  return run(command, args, { timeout: 60_000 }).then(
    () => true,
    () => false,
  )
}

function lastLineOf(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string }
  return (stderr || message).trim().split('\n').at(-1) ?? ''
}
