import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { marked } from 'marked'
import { readLocalConfig } from '../../../packages/dev/config.ts'
import { installSdkPackages } from '../../support/python-packages.ts'
import { installPackage, run } from '../typescript/support/package.ts'
import type { Order, Outcome } from './orders.ts'

/** Programs that call an SDK as they are told. Each SDK is packed, and installed outside of the repository. */

const ROOT = join(import.meta.dirname, '../../..')
const DRIVERS = join(import.meta.dirname, 'drivers')

type Program = { command: string; args: string[]; environment?: Record<string, string>; runReadme?: Readme }
type Preparation = Program | { missing: string }

/** How the driver of each language is made, in a folder of its own. */
const LANGUAGES: Record<string, (folder: string) => Promise<Preparation>> = {
  TypeScript: prepareTypeScript,
  Python: preparePython,
  'Python, async': async folder => {
    const program = await preparePython(folder)
    return 'missing' in program ? program : { ...program, args: [...program.args, 'async'] }
  },
  Go: prepareGo,
  PHP: preparePhp,
}

/** A driver that is ready, or why this machine has none: tests of it are skipped. */
export type Driver = { language: string; missing?: string; start(): RunningDriver; runReadme?: Readme }
export type RunningDriver = { carryOut(order: Order): Promise<Outcome>; stop(): Promise<void> }

/** Prepares the drivers of all languages in a folder. */
export async function prepareDrivers(folder: string): Promise<Driver[]> {
  const drivers: Driver[] = []
  for (const [language, prepare] of Object.entries(LANGUAGES)) {
    const own = join(folder, language.replace(/\W+/g, '-'))
    await mkdir(own, { recursive: true })
    const program = await prepare(own)
    drivers.push(
      'missing' in program
        ? { language, missing: program.missing, start: () => raise(program.missing) }
        : {
            language,
            start: () => startDriver(program, own),
            ...(program.runReadme && { runReadme: program.runReadme }),
          },
    )
  }
  return drivers
}

async function prepareTypeScript(folder: string): Promise<Preparation> {
  await installPackage(folder)
  const source = await readFile(join(DRIVERS, 'driver.ts'), 'utf8')
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(
    join(folder, 'driver.ts'),
    source.replace(/'[./]*sdk\/typescript\/src\/index.ts'/, "'@trilho/sdk'"),
  )
  return { command: process.execPath, args: [join(folder, 'driver.ts')] }
}

async function preparePython(folder: string): Promise<Preparation> {
  const installed = await installSdkPackages()
  if (installed.kind === 'missing') return { missing: installed.why }
  const { python } = installed
  await run(python, ['-m', 'hatchling', 'build', '--target', 'wheel', '--directory', folder], {
    cwd: join(ROOT, 'sdk/python'),
  })
  const wheel = (await readdir(folder)).find(name => name.endsWith('.whl'))!
  await run(python, ['-m', 'zipfile', '-e', join(folder, wheel), join(folder, 'site')])
  await cp(join(DRIVERS, 'driver.py'), join(folder, 'driver.py'))
  const environment = { PYTHONPATH: join(folder, 'site'), PYTHONDONTWRITEBYTECODE: '1' }
  return { command: python, args: [join(folder, 'driver.py')], environment }
}

async function prepareGo(folder: string): Promise<Preparation> {
  if (!(await succeeds('go', ['version']))) return { missing: 'there is no Go' }
  await copySources(join(ROOT, 'sdk/go'), join(folder, 'trilho'))
  const program = join(folder, 'program')
  await mkdir(program)
  await cp(join(DRIVERS, 'driver.go'), join(program, 'main.go'))
  await writeFile(
    join(program, 'go.mod'),
    'module program\n\ngo 1.24\n\nrequire trilho v0.0.0\n\nreplace trilho => ../trilho\n',
  )
  // Nothing is fetched: the module has no dependencies.
  const env = { ...readLocalConfig().environment, GOPROXY: 'off', GOWORK: 'off', GOTOOLCHAIN: 'local' }
  await run('go', ['build', '-o', join(folder, 'driver'), '.'], { cwd: program, env })
  return { command: join(folder, 'driver'), args: [], runReadme: createGoReadme(folder, env) }
}

/** PHP's own packages are Debian's: Composer only loads the classes. */
async function preparePhp(folder: string): Promise<Preparation> {
  const isThere =
    (await succeeds('php', ['-r', "require 'GuzzleHttp/autoload.php';"])) &&
    (await succeeds('composer', ['--version']))
  if (!isThere)
    return { missing: 'there is no PHP with Composer and Guzzle (php-cli, composer, php-guzzlehttp-guzzle)' }
  const cwd = join(folder, 'trilho')
  await copySources(join(ROOT, 'sdk/php'), cwd)
  await cp(join(DRIVERS, 'driver.php'), join(folder, 'driver.php'))
  const env = { ...readLocalConfig().environment, COMPOSER_ALLOW_SUPERUSER: '1' }
  await run('composer', ['dump-autoload', '--no-interaction', '--quiet'], { cwd, env })
  return { command: 'php', args: [join(folder, 'driver.php')], runReadme: createPhpReadme(folder) }
}

type Readme = (environment: Record<string, string>) => Promise<string>

/** Runs the first program of a README, and compiles its receiver. */
function createGoReadme(folder: string, env: Record<string, string | undefined>): Readme {
  return async environment => {
    const [program = '', receiver = ''] = await readBlocks('go')
    const cwd = join(folder, 'readme')
    await cp(join(folder, 'program'), cwd, { recursive: true })
    await writeFile(join(cwd, 'main.go'), program)
    const imports = ['errors', 'fmt', 'io', 'net/http', 'os', 'trilho'].map(name => `import "${name}"\n`)
    await writeFile(
      join(cwd, 'receiver.go'),
      `package main\n\n${imports.join('')}\nvar _ = receive\n\n${receiver}`,
    )
    return (await run('go', ['run', '.'], { cwd, env: { ...env, ...environment } })).stdout
  }
}

function createPhpReadme(folder: string): Readme {
  return async environment => {
    const [program = '', receiver = ''] = await readBlocks('php')
    const loaded = "require 'GuzzleHttp/autoload.php';\nrequire __DIR__ . '/trilho/vendor/autoload.php';"
    await writeFile(join(folder, 'readme.php'), program.replace("require 'vendor/autoload.php';", loaded))
    await writeFile(join(folder, 'receiver.php'), `<?php\n${receiver}`)
    await run('php', ['-l', join(folder, 'receiver.php')])
    return (await run('php', [join(folder, 'readme.php')], { env: { ...process.env, ...environment } }))
      .stdout
  }
}

async function readBlocks(language: string): Promise<string[]> {
  const tokens = marked.lexer(await readFile(join(ROOT, 'sdk', language, 'README.md'), 'utf8'))
  return tokens.flatMap(token =>
    token.type === 'code' && token.lang === language ? [String(token.text)] : [],
  )
}

function succeeds(command: string, args: string[]): Promise<boolean> {
  return run(command, args).then(
    () => true,
    () => false,
  )
}

/** Copies what a package would hold: no tests. */
function copySources(from: string, to: string): Promise<void> {
  return cp(from, to, { recursive: true, filter: file => !/_test\.go$|\/(tests|vendor)$/.test(file) })
}

function startDriver({ command, args, environment }: Program, cwd: string): RunningDriver {
  const env = { ...readLocalConfig().environment, ...environment }
  const child: ChildProcessWithoutNullStreams = spawn(command, args, { cwd, env })
  let printed = ''
  child.stderr.on('data', chunk => (printed += chunk))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async carryOut(order) {
      child.stdin.write(`${JSON.stringify(order)}\n`)
      const { value, done } = await lines.next()
      if (done) throw new Error(`The driver has ended: ${printed}`)
      return JSON.parse(value)
    },
    async stop() {
      const end = once(child, 'close')
      child.stdin.end()
      await end
    },
  }
}

function raise(message: string): never {
  throw new Error(message)
}
