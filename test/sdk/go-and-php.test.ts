import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { readLocalConfig } from '../../packages/dev/config.ts'
import { installSdkPackages } from '../support/python-packages.ts'
import { run } from './typescript/support/package.ts'

/** The SDKs for Go and PHP as they are written: generated from openapi.json, formatted, and with their own tests. */

const SDKS = join(import.meta.dirname, '../../sdk')
const env = {
  ...readLocalConfig().environment,
  GOPROXY: 'off',
  GOTOOLCHAIN: 'local',
  PYTHONDONTWRITEBYTECODE: '1',
}

const isThere = (command: string, args: string[]) =>
  run(command, args).then(
    () => true,
    () => false,
  )
const installed = await installSdkPackages()
const TOOLS = {
  Go: await isThere('go', ['version']),
  PHP: await isThere('php', ['--version']),
  Composer: await isThere('composer', ['--version']),
  Python: installed.kind === 'there',
}
const python = installed.kind === 'there' ? installed.python : 'python3'

type Check = [what: string, tools: (keyof typeof TOOLS)[], command: string, args: string[], folder: string]
const CHECKS: Check[] = [
  [
    'the files of Go are those of openapi.json',
    ['Go', 'Python'],
    python,
    ['-m', 'generator', 'go', '--check'],
    'python',
  ],
  [
    'the files of PHP are those of openapi.json',
    ['Python'],
    python,
    ['-m', 'generator', 'php', '--check'],
    'python',
  ],
  ['the code of Go is formatted', ['Go'], 'gofmt', ['-l', '.'], 'go'],
  ['the code of Go has no fault that vet finds', ['Go'], 'go', ['vet', './...'], 'go'],
  ['the tests of Go pass', ['Go'], 'go', ['test', './...'], 'go'],
  ['the tests of PHP pass', ['PHP'], 'php', ['tests/run.php'], 'php'],
  [
    'the package of PHP is valid',
    ['Composer'],
    'composer',
    ['validate', '--strict', '--no-interaction'],
    'php',
  ],
]

for (const [what, tools, command, args, folder] of CHECKS) {
  const missing = tools.filter(tool => !TOOLS[tool])
  const testWithTools = missing.length > 0 ? test.skip : test
  testWithTools(missing.length > 0 ? `${what}: there is no ${missing.join(', no ')}` : what, async () => {
    const result = await run(command, args, { cwd: join(SDKS, folder), env }).catch(error => {
      throw new Error(`${error.stdout}${error.stderr}`)
    })
    if (command === 'gofmt') expect(result.stdout).toBe('')
  })
}

test('both have the version of the API, its licence, and no dependency but the interfaces of PSR', async () => {
  const files = await Promise.all(
    ['../package.json', 'go/doc.go', 'php/src/Trilho.php', 'go/go.mod', 'php/composer.json'].map(name =>
      readFile(join(SDKS, name), 'utf8'),
    ),
  )
  const [manifest, goVersion, phpVersion, goModule, composer] = files as [
    string,
    string,
    string,
    string,
    string,
  ]
  const { version } = JSON.parse(manifest)
  expect(goVersion).toContain(`Version = "${version}"`)
  expect(phpVersion).toContain(`VERSION = '${version}'`)
  expect(goModule).not.toContain('require')
  const required = Object.keys(JSON.parse(composer).require)
  expect(required.filter(name => !/^(php|ext-json|psr\/http-(client|factory|message))$/.test(name))).toEqual(
    [],
  )
  const licence = await readFile(join(SDKS, '../LICENSE'), 'utf8')
  for (const folder of ['go', 'php'])
    expect(await readFile(join(SDKS, folder, 'LICENSE'), 'utf8')).toBe(licence)
})
