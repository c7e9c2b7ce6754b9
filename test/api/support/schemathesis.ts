import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readLocalConfig } from '../../../src/config.ts'
import { buildOnce } from '../../../src/dev/binaries/build-once.ts'

/** Property-based tests of an OpenAPI document: a Python program, installed once where a Python exists. */

const VERSION = '4.32.5'
/** It needs at least Python 3.10. */
const VERSION_CHECK = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))'
/** Without a network it is given up sooner. */
const INSTALL_TIMEOUT_MS = 180_000

export type Program = { kind: 'there'; command: string[] } | { kind: 'missing'; why: string }

/** The program in this machine's cache, installed into a virtual environment of its own at its first use. */
export async function installSchemathesis(): Promise<Program> {
  const folder = join(readLocalConfig().cacheHome, 'trilho', `schemathesis-${VERSION}`)
  // Not by its own script: that contains the path of its installation, and a complete one is moved into place.
  const command = [join(folder, 'bin', 'python'), '-m', 'schemathesis.cli']
  const isThere = () => succeeds(command[0]!, [...command.slice(1), '--version'])
  if (await isThere()) return { kind: 'there', command }
  if (!(await succeeds('python3', ['-c', VERSION_CHECK])))
    return { kind: 'missing', why: 'there is no Python 3.10 or newer with venv' }
  try {
    await buildOnce(folder, { isBuilt: isThere, print: line => process.stdout.write(`${line}\n`) }, install)
  } catch (error) {
    return { kind: 'missing', why: `it cannot be installed: ${lastLineOf(error)}` }
  }
  return { kind: 'there', command }
}

async function install(folder: string): Promise<void> {
  const limit = { timeout: INSTALL_TIMEOUT_MS }
  await run('python3', ['-m', 'venv', folder], limit)
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--retries', '1']
  await run(join(folder, 'bin', 'python'), [...pip, `schemathesis==${VERSION}`], limit)
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
