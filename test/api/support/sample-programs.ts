import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readLocalConfig } from '../../../packages/dev/config.ts'
import { installSdkPackages } from '../../support/python-packages.ts'

/** Programs made of the samples of the API reference, one of each language, run as a reader would. */

const ROOT = join(import.meta.dirname, '../../..')

export type Sample = { operationId: string; source: string }
type SampleSite = { folder: string; url: string; token: string }

/** Runs curl samples in one shell; answers what each one printed, and its HTTP status. */
export async function runCurlSamples(samples: Sample[], { folder, url, token }: SampleSite) {
  const mark = `-- ${crypto.randomUUID()}`
  const script = samples
    .map(({ source }) => `${source.replace('curl ', "curl -sS -w '\\n%{http_code}' ")}; echo '${mark}'`)
    .join('\n')
  const environment = { TRILHO_BASE_URL: url, TRILHO_TOKEN: token }
  const output = await run('bash', ['-c', script], { folder, environment })
  return output
    .split(mark)
    .slice(0, -1)
    .map((printed, index) => {
      const lines = printed.trim().split('\n')
      return { ...samples[index]!, status: Number(lines.pop()), body: lines.join('\n') }
    })
}

/** Type checks and runs the samples of TypeScript as one program; answers the operations in the order of their ends. */
export async function runTypeScriptSamples(samples: Sample[], { folder, url, token }: SampleSite) {
  const bodies = samples.map(({ operationId, source }) => {
    const code = source
      .replaceAll(/^import .*\n/gm, '')
      .replace('https://pix.example.com', url)
      .replace('trl_test_…', token)
    return `{\n${code}\nconsole.log('${operationId}', typeof result)\n}\n`
  })
  const imports = [
    "import { readFile } from 'node:fs/promises'",
    `import { Trilho } from '${join(ROOT, 'sdk/typescript/src/index.ts')}'`,
  ]
  await writeFile(join(folder, 'samples.ts'), [...imports, ...bodies].join('\n'))
  const tsconfig = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { typeRoots: [join(ROOT, 'node_modules/@types')], lib: ['es2024', 'dom'] },
    include: [join(folder, 'samples.ts')],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', folder], {
    folder,
  })
  const output = await run(process.execPath, ['samples.ts'], { folder })
  return listFinished(output)
}

/** Runs the samples of Python as one program; null where this machine has no Python for the SDK. */
export async function runPythonSamples(samples: Sample[], { folder, url, token }: SampleSite) {
  const installed = await installSdkPackages()
  if (installed.kind === 'missing') return null
  const program = samples.map(
    ({ operationId, source }) =>
      `${source.replace('https://pix.example.com', url).replace('trl_test_…', token)}\nprint('${operationId}', type(result))\n`,
  )
  await writeFile(join(folder, 'samples.py'), program.join('\n'))
  const environment = { PYTHONPATH: join(ROOT, 'sdk/python/src'), PYTHONDONTWRITEBYTECODE: '1' }
  return listFinished(await run(installed.python, ['samples.py'], { folder, environment }))
}

function listFinished(output: string): string[] {
  return output
    .trim()
    .split('\n')
    .map(line => line.split(' ')[0]!)
}

/** Runs a program to its end; a failure throws what it printed. */
function run(
  command: string,
  args: string[],
  { folder, environment = {} }: { folder: string; environment?: Record<string, string> },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, env: { ...readLocalConfig().environment, ...environment } }
    execFile(command, args, options, (error, stdout, stderr) =>
      error
        ? reject(new Error(`${command} ${args[0]}: ${error.message}\n${stdout}${stderr}`))
        : resolve(stdout),
    )
  })
}
