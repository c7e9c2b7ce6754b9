import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { installSdkPackages } from './python-packages.ts'

/** `npm run sdk:python`, `sdk:go`, `sdk:php`: writes the generated files of an SDK from openapi.json. */

const [client = ''] = process.argv.slice(2)
const installed = await installSdkPackages()
if (installed.kind === 'missing') {
  process.stderr.write(`The SDK of ${client} is not written: ${installed.why}\n`)
  process.exitCode = 1
} else {
  const cwd = join(import.meta.dirname, '../../sdk/python')
  const { status } = spawnSync(installed.python, ['-m', 'generator', client], { cwd, stdio: 'inherit' })
  process.exitCode = status ?? 1
}
