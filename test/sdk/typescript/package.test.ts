import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTemporaryFolder } from '../../support/servers.ts'
import { installPackage, readExamples, run, writeProgram } from './support/package.ts'

/** The package as it would be published: what it holds, in both formats, and for the compilers of its users. */

const ROOT = join(import.meta.dirname, '../../..')
const PROGRAM = "console.log(typeof Trilho, typeof verifyWebhook, new TrilhoError('', { code: 'x' }).name)"
const NAMES = '{ Trilho, TrilhoError, verifyWebhook }'

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
let installed: string
beforeAll(async () => {
  folder = await createTemporaryFolder()
  installed = await installPackage(folder.path)
})
afterAll(() => folder?.remove())

test('holds every file that it names, and no dependency', async () => {
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  const named = JSON.stringify([manifest.main, manifest.types, Object.values(manifest.exports)]).match(
    /\.\/[^"]+/g,
  )!
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter(name => !existsSync(join(installed, name)))).toEqual([])
  expect(manifest.files.filter((name: string) => !existsSync(join(installed, name)))).toEqual([])
  expect(manifest.dependencies).toBeUndefined()
  expect(await readFile(join(installed, 'LICENSE'), 'utf8')).toBe(
    await readFile(join(ROOT, 'LICENSE'), 'utf8'),
  )
})

test('may be published only where it names its repository, from which npm proves its provenance', async () => {
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  const { license, keywords, engines, publishConfig } = manifest
  expect({ license, engines, publishConfig }).toEqual({
    license: 'Apache-2.0',
    engines: { node: '>=18' },
    publishConfig: { access: 'public', provenance: true },
  })
  expect(keywords).toContain('pix')
  const isNamed = manifest.repository && manifest.homepage && manifest.bugs
  expect(Boolean(manifest.private)).toBe(!isNamed)
})

test('every module has a source map that holds its source', async () => {
  const dist = join(installed, 'dist')
  const modules = (await readdir(dist, { recursive: true })).filter(name => name.endsWith('.js'))
  expect(modules.length).toBeGreaterThan(30)
  for (const name of modules) {
    const text = await readFile(join(dist, name), 'utf8')
    expect(text).toContain(`//# sourceMappingURL=${basename(name)}.map`)
    const { sources, sourcesContent } = JSON.parse(await readFile(join(dist, `${name}.map`), 'utf8'))
    const source = name.replace(/^\w+\/(.*)\.js$/, 'sdk/typescript/src/$1.ts')
    expect(sources).toEqual([expect.stringMatching(new RegExp(`${basename(source)}$`))])
    expect(sourcesContent).toEqual([await readFile(join(ROOT, source), 'utf8')])
  }
})

test('the client imports nothing of Node', async () => {
  const files = (await readdir(join(installed, 'dist/esm'), { recursive: true })).filter(one =>
    one.endsWith('.js'),
  )
  expect(files.length).toBeGreaterThan(15)
  for (const file of files) {
    const text = await readFile(join(installed, 'dist/esm', file), 'utf8')
    const imports = [...text.matchAll(/from '([^']+)'/g)].map(([, name]) => name!)
    expect(imports.filter(name => !name.startsWith('.'))).toEqual([])
  }
})

test.each([
  ['an ES module', 'esm.mjs', `import ${NAMES} from '@trilho/sdk'`],
  ['CommonJS', 'cjs.cjs', `const ${NAMES} = require('@trilho/sdk')`],
])('%s runs it', async (_what, name, line) => {
  const program = await writeProgram(folder.path, name, `${line}\n${PROGRAM}\n`)
  const { stdout } = await run(process.execPath, [program])
  expect(stdout).toBe('function function TrilhoError\n')
})

test('TypeScript 5 compiles the examples of the README, as ES modules and CommonJS', async () => {
  const { receiver, parts } = await readExamples()
  const project = join(folder.path, 'typed')
  await mkdir(join(project, 'node_modules/@types'), { recursive: true })
  await symlink(join(folder.path, 'node_modules/@trilho'), join(project, 'node_modules/@trilho'))
  for (const name of ['@types/node', 'undici-types'])
    await symlink(join(ROOT, 'node_modules', name), join(project, 'node_modules', name))
  const main = ['async function main() {', ...parts.slice(1), '}', 'main()'].join('\n')
  const files = {
    'main.mts': `${parts[0]}\n${main}\n`,
    'main.cts': `${parts[0]}\n${main}\n`,
    'receiver.mts': receiver,
    'wrong.mts': `${parts[0]}\n// @ts-expect-error: a typo\ntrilho.payments.create({ valeu: 1, type: 'PIX' })\n`,
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(project, name), text)
  const sdk = createRequire(join(ROOT, 'sdk/typescript/package.json'))
  const compiler = join(dirname(sdk.resolve('typescript/package.json')), 'bin/tsc')
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022', '--types', 'node']
  const { stdout } = await run(
    process.execPath,
    [compiler, ...options, '--module', 'nodenext', ...Object.keys(files)],
    { cwd: project },
  ).catch((error: { stdout: string }) => error)
  expect(stdout).toBe('')
})
