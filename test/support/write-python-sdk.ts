import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { installSdkPackages } from './python-packages.ts'

/** `npm run sdk:python`: writes the generated modules of sdk/python from openapi.json. */

const installed = await installSdkPackages()
if (installed.kind === 'missing') {
  process.stderr.write(`The Python SDK is not written: ${installed.why}\n`)
  process.exitCode = 1
} else {
  const cwd = join(import.meta.dirname, '../../sdk/python')
  const { status } = spawnSync(installed.python, ['-m', 'generator'], { cwd, stdio: 'inherit' })
  process.exitCode = status ?? 1
}
