import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildOnce } from '../../../../packages/dev/binaries/temporal-binary.ts'
import { readLocalConfig } from '../../../../packages/dev/config.ts'

/** n8n's engine, which is too large to be a dependency of development, installed once in this machine's cache. */

/** The version that runs a workflow in the tests; without install scripts, which build what the node does not use. */
const PACKAGES = ['n8n-core@2.41.1', 'n8n-workflow@2.41.0']
const INSTALL_TIMEOUT_MS = 600_000

export type N8nInstallation = { kind: 'there'; folder: string } | { kind: 'missing'; why: string }

/** Installs n8n's engine at its first use. Where it cannot be installed, for example without a network, it says why. */
export async function installN8n(): Promise<N8nInstallation> {
  const folder = join(readLocalConfig().cacheHome, 'trilho', 'n8n-2.41.1')
  const isThere = async () => existsSync(join(folder, 'node_modules/n8n-core/package.json'))
  if (await isThere()) return { kind: 'there', folder }
  try {
    await buildOnce(
      folder,
      { isBuilt: isThere, print: line => process.stdout.write(`${line}\n`) },
      async emptyFolder => {
        await writeFile(join(emptyFolder, 'package.json'), '{ "private": true }')
        const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1']
        await promisify(execFile)('npm', ['install', ...options, ...PACKAGES], {
          cwd: emptyFolder,
          timeout: INSTALL_TIMEOUT_MS,
        })
      },
    )
  } catch (error) {
    return { kind: 'missing', why: `n8n cannot be installed: ${(error as Error).message.split('\n')[0]}` }
  }
  return { kind: 'there', folder }
}
